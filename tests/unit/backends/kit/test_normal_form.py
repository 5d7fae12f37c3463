"""A filter in normal form holds for the same records, and negates nothing but conditions on one field."""

from hypothesis import given
from hypothesis import strategies as st

from backends.kit.filter_evaluation import matches
from backends.kit.normal_form import Junction, NormalForm, SignedCondition, normal_form, parts_of
from backends.ports.filters import And, Eq, Exists, Filter, Ge, Gt, Has, In, Le, Lt, Ne, Not, NotIn, Or
from backends.ports.values import Fields

RECORDS: tuple[Fields, ...] = ({}, {"n": 1}, {"n": 2, "tags": ("a",)}, {"n": 3, "tags": ("a", "b")}, {"tags": ("b",)})

numbers = st.integers(0, 4)
leaves = st.one_of(
    st.builds(Eq, st.just("n"), numbers),
    st.builds(Ne, st.just("n"), numbers),
    st.builds(In, st.just("n"), st.lists(numbers, max_size=3).map(tuple)),
    st.builds(NotIn, st.just("n"), st.lists(numbers, max_size=3).map(tuple)),
    st.builds(Lt, st.just("n"), numbers),
    st.builds(Le, st.just("n"), numbers),
    st.builds(Gt, st.just("n"), numbers),
    st.builds(Ge, st.just("n"), numbers),
    st.builds(Exists, st.sampled_from(["n", "tags"])),
    st.builds(Has, st.just("tags"), st.sampled_from(["a", "b"])),
)
filters = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=12,
)


def holds(form: NormalForm, fields: Fields) -> bool:
    """Evaluate a normal form by its own definition."""
    if isinstance(form, SignedCondition):
        return matches(form.condition, fields) == form.holds
    return (all if form.every else any)(holds(part, fields) for part in form.parts)


def check_shape(form: NormalForm) -> None:
    if isinstance(form, Junction):
        assert len(form.parts) != 1
        for part in form.parts:
            assert not (isinstance(part, Junction) and part.every == form.every)
            check_shape(part)


@given(filters)
def test_it_holds_for_the_same_records(where: Filter) -> None:
    form = normal_form(where)
    assert [holds(form, fields) for fields in RECORDS] == [matches(where, fields) for fields in RECORDS]


@given(filters)
def test_its_opposite_holds_for_the_other_records(where: Filter) -> None:
    form = normal_form(where, holds=False)
    assert [holds(form, fields) for fields in RECORDS] == [not matches(where, fields) for fields in RECORDS]


@given(filters)
def test_junctions_alternate_and_have_more_than_one_part_or_none(where: Filter) -> None:
    check_shape(normal_form(where))


def test_unequal_is_equal_that_must_not_hold() -> None:
    assert normal_form(Not(Or((Ne("n", 1), NotIn("n", (2,)))))) == Junction(
        (SignedCondition(Eq("n", 1), holds=True), SignedCondition(In("n", (2,)), holds=True)), every=True
    )


def test_parts_of_a_form_that_is_no_such_junction_are_the_form() -> None:
    form = normal_form(Or((Eq("n", 1), Eq("n", 2))))
    assert list(parts_of(form, every=True)) == [form]
    assert len(list(parts_of(form, every=False))) == 2
