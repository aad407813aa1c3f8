"""The tasks of the director and the verifier, and how advice is put to the narrator."""

from yarrow.prompting.assembly import DirectorTrace

DIRECTOR_TASK = """\
You direct a story that another model narrates. Below is the end of what it was sent. Say briefly \
how the next reply should go: what should happen, in which tone, and what deserves attention. Do \
not write the reply. Answer with one JSON object and nothing else:
{"directive": "one or two sentences", "tone": "a few words", "focusElements": ["a few words"]}"""

VERIFIER_TASK = """\
You check a reply of a story before the reader sees it: does it follow the instructions, stay in \
character, and agree with what was told before? Answer with one JSON object and nothing else:
{"passed": true or false, "issues": [{"description": "one sentence", "severity": "warning" or \
"error"}], "suggestion": "how to do better, or an empty text"}"""

MEMORY_TASK = """\
You keep the memory of a story. Below are the memories so far, each with a label, and the last \
exchange. Say what should be remembered of the exchange: a summary of one or two sentences, new \
facts with a short stable key, facts that changed, facts that no longer hold, and questions or \
promises that are still open. Refer to memories by their label or key. Use the language of the \
story. Answer with one JSON object and nothing else:
{"turnSummary": "…", "factsAdd": [{"key": "…", "content": "…", "importance": 0.5}], \
"factsUpdate": [{"key": "…", "content": "…"}], "factsDeprecate": ["…"], \
"openLoopsAdd": ["…"], "openLoopsResolve": ["…"]}"""

COMPACTION_TASK = """\
Below are summaries of consecutive turns of a story, oldest first. Write one summary of them all \
in a short paragraph, in their language. Keep names, places, decisions and promises. Answer with \
the summary and nothing else."""


def format_directive(advice: DirectorTrace) -> str:
    lines = ["[Direction for the next reply]"]
    if advice.directive:
        lines.append(advice.directive)
    if advice.tone:
        lines.append(f"Tone: {advice.tone}")
    if advice.focus_elements:
        lines.append(f"Focus: {', '.join(advice.focus_elements)}")
    return "\n".join(lines)
