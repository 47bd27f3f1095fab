/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.settings.EcSettings;
import io.paritas.spark.ec.settings.OnError;
import io.paritas.spark.job.QueryException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.AnyDataType$;

/** The functions: their parameters and their text in {@code DESCRIBE FUNCTION}. */
enum Signature {
    ENCODE(
            "ec_encode",
            "the units of the data: k data units, the last ones padded with zeros, then r parity units, equally long.",
            List.of(Parameter.DATA, Parameter.CODE),
            "SELECT id, length(data) AS length, ec_encode(data, 'rs-6-3') AS units FROM t"),
    DECODE(
            "ec_decode",
            "the data of units, of which some may be missing.",
            List.of(Parameter.UNITS, Parameter.CODE, Parameter.LENGTH),
            "SELECT id, ec_decode(units, 'rs-6-3', length) AS data FROM encoded"),
    VERIFY(
            "ec_verify",
            "whether the units that are present fit each other: they are equally long, and the parity is that of the"
                    + " data.",
            List.of(Parameter.UNITS, Parameter.CODE),
            "SELECT id FROM encoded WHERE NOT ec_verify(units, 'rs-6-3')"),
    REPAIR(
            "ec_repair",
            "all units, the missing ones reconstructed.",
            List.of(Parameter.UNITS, Parameter.CODE),
            "SELECT id, ec_repair(units, 'rs-6-3') AS units FROM encoded"),
    STRIPE(
            "ec_stripe",
            "the stripes of a group's rows: an array of structs of ids (the rows that are its data units, k or, in the"
                    + " last stripe, fewer), lengths (of these rows, in bytes) and parity (r units, as long as the longest"
                    + " row). A row with a NULL is ignored. Which rows make a stripe differs from run to run: keep the"
                    + " result.",
            List.of(Parameter.ID, Parameter.DATA, Parameter.CODE),
            "SELECT explode(ec_stripe(id, data, 'rs-6-3')) AS stripe FROM t GROUP BY day"),
    UNSTRIPE(
            "ec_unstripe",
            "all rows of a stripe that ec_stripe made, in its order, the lost ones reconstructed: an array of structs"
                    + " of id and data.",
            List.of(Parameter.STRIPE, Parameter.ROWS, Parameter.CODE),
            """
            SELECT inline(ec_unstripe(stripe, rows, 'rs-6-3')) FROM (
                          SELECT any_value(stripe) AS stripe, collect_list(struct(id, data)) AS rows
                          FROM (SELECT stripe, explode(stripe.ids) AS id FROM stripes) LEFT JOIN t USING (id)
                          GROUP BY stripe.ids)\
            """);

    private final String function;
    private final String result;
    private final List<Parameter> parameters;
    private final String example;

    Signature(String function, String result, List<Parameter> parameters, String example) {
        this.function = function;
        this.result = result;
        this.parameters = parameters;
        this.example = example;
    }

    String function() {
        return function;
    }

    /** The method that computes a row. */
    String method() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The types of so many arguments; surplus ones may have any. */
    List<AbstractDataType> types(int arguments) {
        return IntStream.range(0, arguments)
                .mapToObj(i -> i < parameters.size() ? parameters.get(i).type() : AnyDataType$.MODULE$)
                .toList();
    }

    /** For {@code DESCRIBE FUNCTION}. */
    String usage() {
        return call() + " - " + result;
    }

    /** For {@code DESCRIBE FUNCTION EXTENDED}, in Spark's layout. */
    String arguments() {
        return parameters.stream()
                .map(parameter -> "      * " + parameter.text() + " - " + parameter.meaning() + "\n")
                .collect(Collectors.joining("", "\n    Arguments:\n", ""));
    }

    /** For {@code DESCRIBE FUNCTION EXTENDED}, in Spark's layout. */
    String examples() {
        return "\n    Examples:\n      > " + example + ";\n";
    }

    private String call() {
        return function + parameters.stream().map(Parameter::text).collect(Collectors.joining(", ", "(", ")"));
    }

    /** The index of the argument that is the code. */
    int codeIndex() {
        return parameters.indexOf(Parameter.CODE);
    }

    /**
     * Checks the number of arguments, which have no names.
     *
     * @throws IllegalArgumentException if it is wrong
     */
    void checkCount(List<Expression> arguments) {
        for (Expression argument : arguments) {
            if (argument instanceof NamedArgumentExpression named) {
                throw new IllegalArgumentException(
                        function + " takes its arguments by their places, got one with the name " + named.key()
                                + ": leave out the name");
            }
        }
        if (arguments.size() != parameters.size()) {
            throw new IllegalArgumentException("the call must be " + call() + ", with " + parameters.size()
                    + " arguments, got " + arguments.size());
        }
    }

    /**
     * Returns the code of a call.
     *
     * @throws IllegalArgumentException if the argument is not constant, or not the name of a code
     */
    CodeName code(List<Expression> arguments) {
        Expression code = arguments.get(codeIndex());
        Object name = code.foldable() ? code.eval(null) : null;
        if (name == null) {
            throw new IllegalArgumentException("the code of " + function
                    + " must be a constant text that names one, such as 'rs-6-3', got " + code.sql()
                    + (code instanceof If ? "; in PIVOT no argument is constant: use FILTER there" : ""));
        }
        return CodeName.parse(name.toString());
    }

    /**
     * The result of a row that this function cannot compute.
     *
     * @return null
     * @throws QueryException if such rows fail
     */
    <T> T uncomputable(IllegalArgumentException reason, OnError onError) {
        if (onError == OnError.FAIL) {
            throw new QueryException(
                    function + " cannot compute a row: " + reason.getMessage() + "; SET " + EcSettings.ON_ERROR.key()
                            + "=null gives NULL for such rows",
                    reason);
        }
        return null;
    }
}
