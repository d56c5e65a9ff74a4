"""Exceptions: raised anywhere, caught inside and outside, finally, chains, tracebacks."""

import sys
import traceback

import numpy as np
from support.arrays import f8
from support.program import program


class ProjectError(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def fails(x):
    y = x + 1
    return y[10]


def fails_deep(x, n):
    if n == 0:
        return fails(x)
    return fails_deep(x * 2, n - 1)


def cleans_up(x, log):
    try:
        return x * 2
    finally:
        log.append("cleaned")


@program(lambda: (f8(3), 0), lambda: (f8(3), 2), lambda: (f8(3), 5))
def index_error_caught(x, i):
    try:
        v = x[i] * 2
    except IndexError as error:
        v = str(error)
    return v, x + 1


@program(lambda: (f8(3), f8(3)), lambda: (f8(3), f8(4)))
def shape_error_caught(x, y):
    try:
        z = x + y
    except ValueError as error:
        return "caught", error.args
    return z


@program(lambda: (f8(3), 1), lambda: (f8(3), 0))
def zero_division_caught(x, k):
    try:
        return x + 1 // k
    except ZeroDivisionError:
        return x


@program(lambda: (f8(3), 1), lambda: (f8(3), 0))
def finally_always_runs(x, k):
    log = []
    try:
        log.append("try")
        y = x * (1 / k)
        log.append("after")
    except ZeroDivisionError:
        log.append("except")
        y = x
    else:
        log.append("else")
    finally:
        log.append("finally")
    return y, log


@program(lambda: (f8(3), 0), lambda: (f8(3), 7))
def finally_runs_and_the_error_goes_on(x, i):
    try:
        x[0] = 5
        return x[i]
    finally:
        x[1] = 6
        print("finally", x[0])


@program(lambda: (f8(3),))
def return_in_finally_swallows(x):
    try:
        return x[9]
    finally:
        return "swallowed"


@program(lambda: (f8(3), []))
def finally_in_a_callee(x, log):
    return cleans_up(x, log) + cleans_up(x, log)


@program(lambda: (f8(3),))
def traceback_through_a_callee(x):
    y = x * 2
    return fails(y)


@program(lambda: (f8(3), 3))
def traceback_through_recursion(x, n):
    return fails_deep(x, n)


@program(lambda: (f8(3), 2))
def caught_from_a_callee(x, n):
    try:
        fails_deep(x, n)
    except IndexError as error:
        depth = 0
        tb = error.__traceback__
        while tb is not None:
            depth += 1
            tb = tb.tb_next
        return depth, error


@program(lambda: (f8(3),))
def raise_own(x):
    y = x + 1
    raise ProjectError("bad", code=y.shape[0])


@program(lambda: (f8(3),))
def raise_own_and_catch(x):
    try:
        raise ProjectError("bad", 7)
    except ProjectError as error:
        return x + error.code


@program(lambda: (f8(3),))
def raise_from(x):
    try:
        return x["key"]
    except IndexError as error:
        raise ProjectError("wrapped", 1) from error


@program(lambda: (f8(3),))
def raise_in_handler_keeps_the_context(x):
    try:
        x[5]
    except IndexError:
        x + f8(7)


@program(lambda: (f8(3),))
def raise_from_none(x):
    try:
        x[5]
    except IndexError:
        raise ValueError("clean") from None


@program(lambda: (f8(3),))
def reraise(x):
    try:
        x[5]
    except IndexError as error:
        error.add_note("seen here")
        x[0] = -1
        raise


@program(lambda: (f8(3), "a"), lambda: (f8(3), 9), lambda: (f8(3), 1))
def several_handlers(x, key):
    try:
        return x[key]
    except (KeyError, TypeError):
        return "type"
    except IndexError as e:
        return "index", str(e)


@program(lambda: (f8(3),))
def handler_that_does_not_match(x):
    try:
        y = x + 1
        return y[10]
    except KeyError:
        return "wrong"


@program(lambda: (f8(3),))
def error_name_is_deleted(x):
    try:
        x[9]
    except IndexError as e:
        print(e)
    return e  # noqa: F821


@program(lambda: (f8(3), 4), lambda: (f8(3), 30))
def try_in_a_loop(x, n):
    errors = 0
    total = 0.0
    for i in range(n):
        try:
            total += x[i]
        except IndexError:
            errors += 1
    return total, errors


@program(lambda: (f8(3), 4), lambda: (f8(3), 30))
def loop_in_a_try(x, n):
    i = -1
    try:
        for i in range(n):
            x[i] = x[i] * 2
    except IndexError:
        return "stopped", i, x
    return x


@program(lambda: (f8(3),))
def break_and_continue_through_finally(x):
    log = []
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            x = x + i
        finally:
            log.append(i)
    return x, log


@program(lambda: (f8(3),))
def nested_try(x):
    try:
        try:
            x = x + 1
            x[7]
        except KeyError:
            return "inner"
        finally:
            print("inner finally")
    except IndexError:
        return "outer", x


@program(lambda: (f8(3),))
def print_inside_try_then_raise(x):
    try:
        y = x * 2
        print("before")
        y = y + f8(4)
        print("never")
    except ValueError as e:
        print("handled", e)
        y = x - 1
    return y * 3


@program(lambda: (f8(3),))
def exception_group(x):
    try:
        raise ExceptionGroup("both", [ValueError("v"), TypeError("t")])
    except* ValueError as group:
        n = len(group.exceptions)
        y = x + n
    except* TypeError:
        y = x
    return y


@program(lambda: (f8(3),))
def exceptions_as_values(x):
    e = ValueError("text", 3)
    return e, repr(e), isinstance(e, Exception), x + len(e.args)


@program(lambda: (f8(3),))
def raise_a_class(x):
    y = x * 2
    raise KeyError


@program(lambda: (f8(3),))
def raise_something_else(x):
    raise x


@program(lambda: (f8(3), None), lambda: (f8(3), 3))
def call_what_is_not_callable(x, f):
    y = x * 2
    return f(y)


@program(lambda: (f8(3), "s"), lambda: (f8(3), []), lambda: (f8(3), 2))
def operands_that_do_not_fit(x, other):
    y = x.shape[0]
    return y + other


@program(lambda: (f8(3), "text"), lambda: (f8(3), b""), lambda: (f8(3), object()))
def array_with_text_raises(x, other):
    return x * 2 - other


@program(lambda: (f8(3),))
def unbound_local(x):
    if x.shape == (99,):
        y = 1
    return y


@program(lambda: ("12",), lambda: ("x",), lambda: (None,))
def conversion_errors(text):
    try:
        return int(text)
    except (ValueError, TypeError) as e:
        return f"{type(e).__name__}: {e}"


@program(lambda: (f8(3),))
def effects_then_error_in_the_middle_of_a_statement(x):
    out = []
    return [out.append(1), x + 1, x[len(out) * 5]]


@program(lambda: (f8(2),))
def sys_exc_info_in_a_handler(x):
    try:
        x[2]
    except IndexError:
        kind, value, tb = sys.exc_info()
        line = tb.tb_lineno - tb.tb_frame.f_code.co_firstlineno
    return kind, value.args, line, sys.exc_info()


@program(lambda: (f8(2),))
def formatted_traceback(x):
    try:
        fails(x * 2)
    except IndexError as e:
        text = [(f.name, f.lineno, f.line) for f in traceback.extract_tb(e.__traceback__)]
    return text


@program(lambda: (f8(2),))
def stop_iteration_caught(x):
    it = iter([x])
    out = []
    while True:
        try:
            out.append(next(it) + 1)
        except StopIteration:
            break
    return out


@program(lambda: (f8(2),))
def keyboard_interrupt_is_not_an_exception(x):
    try:
        raise KeyboardInterrupt("by hand")
    except Exception:
        return "wrong"
    except BaseException as e:
        return type(e).__name__, x + 1


@program(lambda: (f8(2, 2), f8(3, 3)))
def error_text_of_numpy(x, y):
    found = []
    for action in (
        lambda: x + y,
        lambda: x @ y,
        lambda: x.reshape(3),
        lambda: x[5, 0],
        lambda: x[[7]],
        lambda: np.concatenate([x, y]),
        lambda: x.sum(axis=4),
        lambda: x.transpose(0),
        lambda: np.linalg.inv(f8(2, 3)),
        lambda: x.view("i3"),
        lambda: int(x),
        lambda: bool(x),
    ):
        try:
            action()
        except Exception as e:
            found.append((type(e).__name__, str(e)))
    return found


@program(lambda: (f8(4), 0.0), lambda: (f8(4), 1.0))
def results_that_nobody_reads_still_raise(x, a):
    seen = []
    with np.errstate(all="ignore"):
        try:
            np.linalg.inv(np.zeros((2, 2)) + a * np.eye(2))
        except ValueError as e:
            seen.append(str(e))
        try:
            1.0 / a
        except ZeroDivisionError as e:
            seen.append(str(e))
        try:
            x.astype(int) ** (x.astype(int) - 5)
        except ValueError as e:
            seen.append(str(e))
        try:
            x[x.argmax() + 7]
        except IndexError as e:
            seen.append(str(e))
    return x * 2 + 1, seen


class Coded(ProjectError):
    pass


CAUGHT = [KeyError]


def refuses(x, log):
    log.append("asked")
    y = x * 3
    raise LookupError("no", y.shape)


def passes_on(x, log):
    try:
        refuses(x, log)
    finally:
        log.append("passed on")


def raises_what_is_handled():
    raise


@program(lambda: (f8(3), {"a": 1}), lambda: (f8(3), {"b": 2}), lambda: (f8(3), {}))
def key_error_known_beforehand(x, d):
    try:
        k = d["b"]
    except (TypeError, KeyError) as e:
        k = len(e.args)
    else:
        k = k + 10
    finally:
        x = x + 1
    return x * k, d


@program(lambda: (f8(3), []))
def raised_two_calls_deep(x, log):
    y = x + 1
    try:
        passes_on(y, log)
    except IndexError:
        log.append("wrong")
    except LookupError as e:
        y = y * len(e.args)
    return y - 1, log


@program(lambda: (f8(3),))
def raised_in_a_handler(x):
    try:
        try:
            raise KeyError("first")
        except KeyError as e:
            x = x + len(e.args)
            raise ValueError("second") from e
    except ValueError:
        x = x * 2
    return x - 1


@program(lambda: (f8(3),))
def raised_in_a_handler_and_looked_at(x):
    try:
        try:
            raise KeyError("first")
        except KeyError:
            x = x + 1
            raise ValueError("second")
    except ValueError as e:
        return (
            x * 2,
            repr(e.__context__),
            e.__traceback__.tb_lineno - e.__context__.__traceback__.tb_lineno,
        )


@program(lambda: (f8(3),))
def raised_again_from_elsewhere(x):
    try:
        try:
            raise Coded("bad", 4)
        except ProjectError:
            x = x + 1
            raises_what_is_handled()
    except Coded as e:
        x = x * e.code
    return x - 1


@program(lambda: (f8(3),))
def print_in_a_handler(x):
    y = x + 1
    try:
        y = y * 2
        raise ValueError("seen")
    except ValueError as e:
        y = y - 1
        print("handling", e, sys.exc_info()[0], y.shape)
    return y * 3


@program(lambda: (f8(3),))
def store_in_a_handler(x):
    y = x + 1
    try:
        raise ValueError
    except ValueError:
        x[0] = 9
        y[1] = x[0]
    return y * 3


@program(lambda: (f8(3), 4))
def known_error_in_a_loop(x, n):
    out = []
    for i in range(6):
        try:
            if i == 2:
                raise ValueError(i)
            x = x + 1
            if i == 4:
                raise KeyError(i)
        except ValueError:
            continue
        except KeyError:
            break
        finally:
            out.append(i)
        x = x * 2
    return x, out


@program(lambda: (f8(3), 40))
def known_error_in_a_long_loop(x, n):
    for i in range(n):
        try:
            x = x + 1
            raise ValueError
        except ValueError:
            x = x * 0.5
            continue
        x = x + 1000
    return x


@program(lambda: (f8(3),))
def iterator_at_its_end_stays_there(x):
    items = [x]
    it = iter(items)
    seen = []
    for _ in range(3):
        try:
            seen.append(next(it) + 1)
        except StopIteration:
            seen.append("end")
            items.append(x * 2)
    return seen, list(it)


@program(lambda: (f8(3),))
def partly_done_when_it_raises(x):
    found = [0]
    try:
        found.extend(map(int, ["1", "2", "x", "4"]))
    except ValueError:
        x = x + len(found)
    left = iter(["5", "y", "6"])
    try:
        a, b, c = map(int, left)
    except ValueError:
        x = x * 2
    return x, found, list(left)


@program(lambda: (f8(3),))
def exception_kept(x):
    errors = []
    try:
        raise ValueError("kept")
    except ValueError as e:
        errors.append(e)
        last = e
    return (
        x + 1,
        errors,
        last.__traceback__.tb_lineno - last.__traceback__.tb_frame.f_code.co_firstlineno,
    )


@program(lambda: (f8(3),))
def exception_made_here_raised_there(x):
    e = Coded("text", 3)
    plain = ValueError("a", x)
    try:
        raise plain
    except ValueError:
        x = x + 1
    return x * 2, e, e.code, plain, plain.__traceback__ is None


def caught_by_name(x):
    try:
        raise KeyError("k")
    except CAUGHT[0]:
        return x + 1
    except LookupError:
        return x - 1


@program(lambda: (f8(3),))
def what_is_caught_changes(x):
    out = []
    for cls in (KeyError, IndexError, KeyError):
        CAUGHT[0] = cls
        out.append(caught_by_name(x))
    CAUGHT[0] = KeyError
    return out


class Moving(Exception):
    pass


def caught_as_what_it_is(x):
    try:
        raise Moving("m")
    except KeyError:
        return x + 1
    except Exception:
        return x - 1


@program(lambda: (f8(3),))
def class_of_an_exception_changes(x):
    out = [caught_as_what_it_is(x) for _ in range(3)]
    Moving.__init__ = lambda self, text: BaseException.__init__(self)
    out += [caught_as_what_it_is(x) for _ in range(3)]
    del Moving.__init__
    return out


class Bare:
    def __init__(self, scale):
        self.scale = scale


@program(lambda: (f8(3), Bare(2)))
def missing_attributes(x, bare):
    for _ in range(2):
        try:
            x = x * bare.scale
            x = x + bare.offset
        except AttributeError:
            x = x - 1
        try:
            x = x * x.units
        except AttributeError:
            x = x + 5
        bare.offset = 3
    return x


@program(lambda: (f8(3), [1, 2]), lambda: (f8(3), [1, 2, 3]))
def wrong_number_of_items(x, pair):
    try:
        a, b = pair
    except ValueError:
        a, b = pair[:2]
        x = x + 1
    try:
        assert a > b, "order"
    except AssertionError as e:
        x = x + len(f"{e}")
    return x * a - b


@program(lambda: (f8(3),))
def catching_what_is_no_class(x):
    y = x + 1
    try:
        raise ValueError("v")
    except (KeyError, "text"):
        y = y * 2
    return y


@program(lambda: (f8(3),))
def raising_with_words(x):
    out = []
    for make in (
        lambda: AttributeError("a", name="n"),
        lambda: ValueError("v", k=1),
        lambda: OSError(2, "no"),
    ):
        try:
            raise make()
        except (AttributeError, TypeError, OSError) as e:
            out.append((type(e).__name__, str(e), getattr(e, "name", None)))
    return out, x + 1


@program(lambda: (f8(4), 0), lambda: (f8(4), 3))
def integers_that_do_not_fit_where_nobody_reads(x, k):
    seen = []
    small = x.astype("u1")
    try:
        -1 + small
    except OverflowError as e:
        seen.append(str(e))
    try:
        small * 300
    except OverflowError as e:
        seen.append(str(e))
    small + 255
    return x * 2 + 1, seen
