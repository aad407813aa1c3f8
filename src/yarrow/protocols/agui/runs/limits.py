"""The limits of a request for a run, and the messages of refusals (seed 002)."""

BODY_BYTES = 256 * 1024
HISTORY_BODY_BYTES = 4 * 1024 * 1024
"""For stock clients: they send the whole conversation."""
CONTAINERS = 50_000
"""Lists and objects of a body, ten for each of the most messages: a model is made of each, on the
event loop, and a body of 4 MiB has room for 150,000."""
RUN_ID_CHARS = 128
MESSAGE_ID_CHARS = 512
"""Ids are indexed: a row of an index has room for 2,704 bytes."""
MESSAGES = 200
HISTORY_MESSAGES = 5_000
TEXT_CHARS = 10_000
IMAGES = 8

THREAD_RULE = "threadId must be a valid UUID"
RUN_RULE = "runId exceeds length limit"
SIZE_RULE = "RunAgentInput payload exceeds size limit"
MESSAGES_RULE = "RunAgentInput.messages exceeds limit"
TEXT_RULE = "RunAgentInput user message text exceeds limit"
ONE_USER_RULE = "RunAgentInput.messages must contain exactly one user message"
FIRST_RULE = "RunAgentInput.messages[0].role must be user"
IMAGE_RULE = "binary content requires image mimeType"
URL_RULE = "binary content requires url"
DATA_RULE = "binary content data is not allowed"
IMAGES_RULE = "RunAgentInput user message images exceed limit"
SIGNED_URL_RULE = "binary content url must be a valid signed URL"
