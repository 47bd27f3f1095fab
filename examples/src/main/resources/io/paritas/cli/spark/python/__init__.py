# SPDX-License-Identifier: Apache-2.0
"""Predictions of Paritas in PySpark, classic and over Spark Connect.

The functions make columns; the jars and the property spark.plugins=io.paritas.spark.ParitasPlugin belong to the driver
or to the Connect server:

    from paritas import coded_predict

    images.select("path", coded_predict("hdfs:///models/base.onnx", "content",
                                        parity="hdfs:///models/parity", type="image", scale=1 / 255))
"""

import re

__all__ = ["cascade_predict", "coded_predict", "folded_predict", "predict", "sql"]


def predict(model, *columns, **options):
    """The answers of a model to rows, as a column: a struct of prediction, outcome and, with onError="column", error.

    model: the path of the model. columns: the names of the column with its input, or of one for each value; a name
    with dots is of a field in a struct, unless it is in backticks, as in "`pixel.1`".
    options: as in docs/configuration.md, such as batchRows=64.
    """
    return _column(sql("predict", model, *columns, **options))


def coded_predict(model, *columns, **options):
    """As predict, and answers of tasks that are late or lost are reconstructed; needs parity models (parity="...")."""
    return _column(sql("coded_predict", model, *columns, **options))


def folded_predict(model, *columns, **options):
    """As predict, with a folded model, several rows in one pass; model is its folder."""
    return _column(sql("folded_predict", model, *columns, **options))


def cascade_predict(small, large, *columns, **options):
    """As predict, by a small model for the rows that it is sure of, and by a large one for the others."""
    return _column(sql("cascade_predict", (small, large), *columns, **options))


def sql(function, model, *columns, **options):
    """The call of one of the functions above as an SQL expression; model is a pair for cascade_predict."""
    if not columns:
        raise ValueError(f"{function} needs the column with the model's input, or a numeric one for each value; got none")
    for column in columns:
        if isinstance(column, (list, tuple)):
            raise TypeError(f"{function} takes each column by itself, got {column!r}: write *columns")
        if isinstance(column, dict):
            raise TypeError(f"{function} takes options by their names, such as batchRows=64, got {column!r}: write **options")
        if not isinstance(column, str):
            raise TypeError(
                f"{function} takes columns by their names, got {column!r}: name it with withColumn(name, column) first")
    models = model if isinstance(model, tuple) else (model,)
    number, wanted = (2, "a pair of models") if function == "cascade_predict" else (1, "one model")
    if len(models) != number:
        raise ValueError(f"{function} takes {wanted}, got {model!r}")
    arguments = [*map(_text, models), *map(_name, columns)]
    given = {key: value for key, value in options.items() if value is not None}
    if given:
        pairs = (f"{_text(key)}, {_text(_value(value))}" for key, value in given.items())
        arguments.append(f"map({', '.join(pairs)})")
    return f"{function}({', '.join(arguments)})"


def _column(expression):
    try:
        from pyspark.sql.functions import expr
    except ImportError as e:
        raise ImportError(
            "paritas makes columns of PySpark, which is not installed here: pip install pyspark (or pyspark-client, for"
            " Spark Connect), or run this with spark-submit") from e
    return expr("paritas_" + expression)  # the name that no function of the user's has


def _name(column):
    parts = re.findall(r"`(?:[^`]|``)+`|[^`.]+", column)
    if not column or ".".join(parts) != column:  # a backtick is a part of the name
        if "" in column.split("."):
            raise ValueError(f"a column's name must have no empty part, got {column!r}: put a name with dots in backticks")
        parts = ["`" + part.replace("`", "``") + "`" for part in column.split(".")]
    return ".".join(part if part.startswith("`") else f"`{part}`" for part in parts)


def _text(value):
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _value(value):
    if hasattr(type(value), "tolist"):  # of numpy; a Column answers any name
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return value
