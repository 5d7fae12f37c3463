"""Source code that is printed as text is told from prose, and variables from terms."""

import pytest

from toolsets.concept_rag.source_code import reads_as_code, variables


@pytest.mark.parametrize(
    "text",
    [
        "> plot(fit2[1:3], lty=1:3, lwd=2, xscale=365.25, fun='event',",
        'xlab="Years after enrollment", ylab="Survival") > legend(550, .6, paste("Score", 0:2))',
        r"\newdimen\heavyrulewidth \newdimen\lightrulewidth \heavyrulewidth=.08em",
        "png_set_alpha_mode(png_ptr, PNG_ALPHA_PNG, screen_gamma);",
        "data$time[data$age > 60]",
        "int i; char *p; long q;",
        "@property def name(self) -> str:",
    ],
)
def test_calls_assignments_and_macros_are_code(text: str) -> None:
    assert reads_as_code(text)


@pytest.mark.parametrize(
    "text",
    [
        "The argument fun='event' has caused the death rate D = 1 - S to be plotted, as f(x) is.",
        "Keywords: regression; survival analysis; mixed models; kriging",
        "关键词：回归; 生存分析; 克里金",
        "Ada Lovelace; Charles Babbage; Alan Turing",
        "Soup $5, salad $7, roast beef $12, wine $ 6",
        "Contact: ada@example.org, charles@example.org",
        "Assets + Expenses = Liabilities + Equity + Income",
        "See also dpkg-source(1), deb-control(5), debhelper(7), dh(1)",
        "Mathematische Formeln stellt man zwischen \\begin{displaymath} und \\end{displaymath} oder zwischen \\[ und \\].",
        "开发用软件包存在的问题*{测试版 (testing)}*可以正确识别和修正，但这不是本手册的目的*{不安定版 (unstable)}*。",
    ],
)
def test_prose_that_names_code_is_no_code(text: str) -> None:
    assert not reads_as_code(text)


def test_variables_are_names_that_are_used_in_code_far_more_than_in_prose() -> None:
    code = ["png_read(png_ptr, data);\npng_ptr = png_make(data);", "pbuilder create\nsudo pbuilder update\n"] * 4
    mentions = {"png_ptr": 2, "png_read": 1, "data": 1, "pbuilder": 1, "zlib": 1}
    assert variables(code, mentions) == {"png_ptr"}
    assert variables(code, {"png_ptr": 6}) == frozenset()
