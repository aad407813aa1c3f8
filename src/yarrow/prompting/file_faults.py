"""Why a file of a story is refused: cards, personas, chats, presets, worldbooks and scripts."""

from enum import StrEnum


class FileFault(StrEnum):
    """The sentence in English, with slots for facts; its name is on the wire.

    `words.json` of the pages has each as `note.<name>`.
    """

    # any file
    NUL = "text must not contain the NUL character"
    TOO_DEEP = "JSON may be nested {limit} levels deep"
    NOT_TEXT = "{field}: must be text"
    NOT_TEXTS = "{field}: must be a list of texts"
    NOT_OBJECT = "{field}: must be an object"
    NOT_OBJECTS = "{field}: must be a list of objects"
    TOO_MANY_BYTES = "{field}: at most {limit} bytes"
    TOO_MANY_CHARACTERS = "{field}: at most {limit} characters"
    NAME_LENGTH = "name: 1 to {limit} characters"
    NOT_ENTRIES = "data.entries: must be an object or a list of entries"
    NOT_SCRIPTS = "data: must be a list of regex scripts"

    # cards
    NOT_A_CARD = "this is no character card: it has neither a name nor data with one"
    NO_NAME = "{field}: a character needs a name"

    # pictures with a card
    NOT_A_PNG = "this is no PNG"
    PNG_TOO_LARGE = "a picture may have at most {limit} bytes"
    PNG_CHUNKS = "a picture may have at most {limit} chunks"
    PNG_CUT_OFF = "the PNG is cut off"
    PNG_HEADER_PLACE = "the PNG is damaged: its header is not in its place"
    PNG_HEADER_SIZE = "the PNG is damaged: its header has the wrong size"
    PNG_EMPTY = "the PNG is damaged: it shows nothing"
    PNG_CHUNK_NAME = "the PNG is damaged: a chunk has no name"
    PNG_CHECKSUM = "the PNG is damaged: a checksum does not match"
    PNG_WITHOUT_CARD = "there is no character card in this picture"
    CARD_TOO_LARGE = "the card may have at most {limit} bytes"
    CARD_COMPRESSION = "the card is compressed in a way we do not know"
    CARD_COMPRESSED_BADLY = "the card cannot be decompressed"
    CARD_CUT_OFF = "the card cannot be decompressed: it is cut off"
    CARD_BASE64 = "the card is not valid base64"
    CARD_JSON = "the card is not valid JSON"
    CARD_NOT_OBJECT = "the card is not a JSON object"

    # chats
    NOT_A_CHAT = "this is no chat: it has neither a header nor a message"
    CHAT_MESSAGES = "a chat may have at most {limit} messages"
    CHAT_TEXTS = "a chat may have at most {limit} texts"
    LINE_NUL = "line {line}: must not contain the NUL character"
    LINE_JSON = "line {line}: is not valid JSON"
    LINE_NOT_OBJECT = "line {line}: must be an object"
    LINE_WITHOUT_TEXT = "line {line}: mes must be text"
    LINE_SWIPES = "line {line}: swipes must be texts"
