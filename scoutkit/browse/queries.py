"""Questions that people ask of the tables, as SQL. Datasette shows them beside the tables, on 0.65 and on 1.0."""

from __future__ import annotations

from scoutkit.search.overview import FOLDER

DATABASE = "scoutkit"
_CHECKED = (
    "files LEFT JOIN checks ON checks.worktree = files.worktree AND checks.path = files.path"
    " AND checks.hash = files.hash"
)
_AGENT = "CASE WHEN instr(notes.by, '/') THEN substr(notes.by, 1, instr(notes.by, '/') - 1) ELSE notes.by END"

QUERIES: dict[str, dict[str, str]] = {
    "stale_by_folder": {
        "title": "Notes that no longer hold, by folder",
        "description": "Of the notes that cite each folder: how many there are, and how many did not hold when they"
        " were last checked.",
        "sql": f"""
select folder, count(*) as notes, sum(holds = 0) as no_longer_hold, sum(checked is null) as not_checked
from (select distinct {FOLDER} as folder, note from citations)
join (select key, holds, checks.at as checked from {_CHECKED}) on key = note
group by folder order by no_longer_hold desc, notes desc""",
    },
    "most_cited_files": {
        "title": "Most cited files",
        "description": "How many notes cite each file, and how often in all.",
        "sql": """
select path, count(distinct note) as notes, count(*) as citations
from citations where verdict is not 'wrong' group by path order by notes desc, citations desc limit 200""",
    },
    "without_an_answer": {
        "title": "Questions without an answer",
        "description": "What was asked and came to no finished note: the run failed, was stopped, or left a draft.",
        "sql": """
select started, kind, text, agent, result, reason, id as run from runs
where (result is not null and result != 'done')
and not exists (select 1 from notes join files using (key)
  where files.status = 'stable' and lower(trim(notes.question)) = lower(trim(runs.text)))
order by started desc""",
    },
    "cost_by_agent_and_week": {
        "title": "Cost, by agent and week",
        "description": "What runs took: US dollars where the agent says what it cost, minutes, tokens. Weeks begin on"
        " Monday.",
        "sql": """
select date(started, 'weekday 0', '-6 days') as week, agent, count(*) as runs, round(sum(cost_usd), 4) as usd,
  round(sum(seconds) / 60.0, 1) as minutes, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens
from runs group by week, agent order by week desc, agent""",
    },
    "nobody_confirmed": {
        "title": "Notes that nobody has confirmed",
        "description": "No person has said of them that they are right: `scoutkit confirm NOTE` does.",
        "sql": """
select notes.id as note_id, notes.title, notes.type, notes.at, notes.by
from notes join files using (key) where files.status = 'stable' and coalesce(notes.confirmed, '') = ''
order by notes.at desc""",
    },
    "wrong_at_birth": {
        "title": "Citations wrong at birth, by agent",
        "description": "What the check said when the note was written, of each agent's citations.",
        "sql": f"""
select {_AGENT} as agent, count(*) as citations, sum(verdict = 'supported') as supported,
  sum(verdict = 'corrected') as corrected, sum(verdict = 'unsupported') as unsupported, sum(verdict = 'wrong') as wrong,
  round(100.0 * sum(verdict in ('wrong', 'corrected')) / count(*), 1) as percent_wrong_as_written
from citations join notes on notes.key = citations.note where verdict is not null
group by agent order by citations desc""",
    },
}
