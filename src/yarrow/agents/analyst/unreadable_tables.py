"""Why a server reads no tables, in the language of the answer."""

from yarrow.charting import ChartLanguage, add_traditional
from yarrow.journal.events import Warned
from yarrow.sandbox.errors import SandboxError, SandboxMissing

TABLES_UNREADABLE = "TABLES_UNREADABLE"

_PACKAGES_MISSING = add_traditional(
    {
        ChartLanguage.EN: "This server reads no tables: its packages are not installed. Run "
        "pip install 'yarrow[analyst]' and restart the server.",
        ChartLanguage.ZH: "这台服务器不能读取数据表：没有安装所需的软件包。"
        "请运行 pip install 'yarrow[analyst]' 并重启服务器。",
    }
)
_NOT_CONFINED = add_traditional(
    {
        ChartLanguage.EN: "This server reads no tables: the machine has neither user namespaces "
        "nor Landlock to keep other files from their reader; yarrow doctor says more.",
        ChartLanguage.ZH: "这台服务器不能读取数据表：机器既没有用户命名空间也没有 Landlock，"
        "无法隔离读取表格的进程；运行 yarrow doctor 可以了解详情。",
    }
)


def explain_unreadable(reason: SandboxError, language: ChartLanguage) -> str:
    """Why no table can be read, and what the operator can do."""
    texts = _PACKAGES_MISSING if isinstance(reason, SandboxMissing) else _NOT_CONFINED
    return texts[language]


def warn_unreadable(reason: SandboxError, language: ChartLanguage) -> Warned:
    return Warned(TABLES_UNREADABLE, explain_unreadable(reason, language))
