"""The models of one turn: each slot may have its own."""

from collections.abc import Iterator

from msgspec import Struct

from yarrow.journal.events import Warned
from yarrow.llm.model import ChatModel
from yarrow.runs.agent import RunContext
from yarrow.stories.model_endpoints.model import ModelChoices, ModelSlot
from yarrow.stories.model_endpoints.slots import SlotModel, SlotModels


class TurnSlots(Struct, frozen=True):
    """Opens the models of a turn. A client that brings its own model is answered by that one."""

    models: SlotModels | None
    choices: ModelChoices
    default: ChatModel
    has_client_model: bool = False

    def open(self, slot: ModelSlot) -> SlotModel:
        if self.models is None or self.has_client_model:
            return SlotModel(self.default, None, self.choices.list_params(slot, None))
        return self.models.open_slot(self.choices, slot, self.default)

    def list_skips(self, slot: ModelSlot) -> Iterator[Warned]:
        """A warning for each model that the user bound to the slot and that cannot be used."""
        return list_skips(self.open(slot), slot)

    def is_enabled(self, slot: ModelSlot) -> bool:
        return self.choices.find_slot(slot).is_enabled


def open_slots(models: SlotModels | None, choices: ModelChoices, context: RunContext) -> TurnSlots:
    return TurnSlots(models, choices, context.model, has_client_model=bool(context.run.input.model))


def list_skips(opened: SlotModel, slot: ModelSlot) -> Iterator[Warned]:
    """A warning for each model that the user bound to the slot and that cannot be used."""
    for skip in opened.skipped:
        yield Warned(
            "MODEL_SKIPPED",
            f"The {slot} does not use the profile {skip.binding.name}: {skip.reason}.",
        )


def warn_disabled(slot: ModelSlot) -> Warned:
    return Warned(
        "SLOT_DISABLED", f"The {slot} is disabled in /llm-instances; the turn does without it."
    )
