"""YAML of a seed as plain data: nothing but texts, numbers, lists and keys, each key once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml


class Lines(dict[object, object]):
    """A mapping that knows where it stands: `lines` are those of its keys."""

    lines: dict[object, int]


def load(data: bytes, *, with_lines: bool = False) -> object:
    """Return what YAML says; with `with_lines` each mapping in it is a `Lines`.

    Raises:
        ValueError: it is none; the text is the end of a sentence, and names the line.
    """
    try:
        import yaml
    except ImportError:
        raise ValueError("PyYAML is not installed: pip install PyYAML.") from None
    try:
        loader = _loader()
        if with_lines:
            loader.add_constructor("tag:yaml.org,2002:map", _construct_lines)
        return yaml.load(data.decode("utf-8-sig"), Loader=loader)
    except RecursionError:
        raise ValueError("it is nested too deeply.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{line}{error.problem or error.context}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"it is no YAML ({str(error).splitlines()[0]}).") from None


def _construct_lines(loader: yaml.SafeLoader, node: yaml.MappingNode) -> Iterator[Lines]:
    found = Lines()
    # Empty at first, as the loader wants it of what may hold itself.
    yield found
    found.update(loader.construct_mapping(node))
    found.lines = {
        loader.construct_object(key): key.start_mark.line + 1
        for key, _ in node.value
        if key.id == "scalar"
    }


def _loader() -> type[yaml.SafeLoader]:
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """`SafeLoader`, which would take the last of two equal keys, and expand aliases for ever."""

        def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(
                    None, None, "aliases (*) have no place here", mark
                )
            return super().compose_node(parent, index)

        def construct_mapping(
            self, node: yaml.MappingNode, deep: bool = False
        ) -> dict[object, object]:
            seen: set[str] = set()
            for key, _ in node.value:
                if key.id == "scalar" and key.value in seen:
                    problem = f"{key.value!r} stands here twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(str(key.value))
            mapping: dict[object, object] = super().construct_mapping(node, deep=deep)
            return mapping

    return Loader
