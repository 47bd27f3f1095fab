/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;

/**
 * A call of a function, without its columns. Calls are equal if their answers are: Spark answers one from the cache of the other.
 *
 * @param kind the function
 * @param models paths of the models, or of a folded model's descriptor; of two the small one first
 * @param options the options, as given
 * @param session what the session has set, when the call was analysed
 */
record Call(Kind kind, List<String> models, Map<String, String> options, Map<String, String> session)
        implements Serializable {
    private static final long serialVersionUID = 1;

    /** Copies models and options into collections that can be serialized. */
    Call {
        models = new ArrayList<>(models);
        options = new LinkedHashMap<>(options);
        session = new LinkedHashMap<>(session);
    }

    /** Path of the model whose predictions are wanted; of two models the large one. */
    String model() {
        return models.get(models.size() - 1);
    }

    /** Parses the arguments of a function: the models, the columns, and a map of options if there is one. */
    static Call of(Kind kind, List<Expression> arguments, Map<String, String> session) {
        for (Expression argument : arguments) {
            if (argument instanceof NamedArgumentExpression named) {
                throw new IllegalArgumentException(
                        kind.function() + " takes its arguments by their places, got one with the name " + named.key()
                                + ": leave out the name");
            }
        }
        if (arguments.size() <= kind.models() || inputs(kind, arguments).isEmpty()) {
            throw new IllegalArgumentException(kind.function() + " takes the "
                    + (kind.models() == 1 ? "path of a model" : "paths of a small and a large model")
                    + ", then its input: a column or several, then a map of options if there are any; got "
                    + (arguments.isEmpty()
                            ? "nothing"
                            : arguments.stream().map(Expression::sql).collect(Collectors.joining(", "))));
        }
        List<String> models = IntStream.range(0, kind.models())
                .mapToObj(i -> text(kind, i, arguments.get(i)))
                .toList();
        return new Call(kind, models, options(arguments.get(arguments.size() - 1)), session);
    }

    private static String text(Kind kind, int place, Expression model) {
        Object value = model.foldable() && model.dataType() instanceof StringType ? model.eval(null) : null;
        if (value == null) {
            throw new IllegalArgumentException("the " + (place == 0 ? "first" : "second") + " argument of "
                    + kind.function() + " must be the path of a model, a constant text; got " + model.sql());
        }
        return value.toString();
    }

    /** The columns among the arguments. */
    static List<Expression> inputs(Kind kind, List<Expression> arguments) {
        boolean withOptions = isMap(arguments.get(arguments.size() - 1));
        return arguments.subList(kind.models(), arguments.size() - (withOptions ? 1 : 0));
    }

    private static boolean isMap(Expression expression) {
        return expression.resolved() && expression.dataType() instanceof MapType;
    }

    private static Map<String, String> options(Expression last) {
        if (!isMap(last)) {
            return Map.of();
        }
        MapType type = (MapType) last.dataType();
        boolean texts = type.keyType() instanceof StringType && type.valueType() instanceof StringType;
        boolean none = type.keyType() instanceof NullType && type.valueType() instanceof NullType; // as of map()
        MapData map = last.foldable() && (texts || none) ? (MapData) last.eval(null) : null;
        if (map == null) {
            throw new IllegalArgumentException("the options must be a constant map of texts, such as"
                    + " map('batchRows', '64'); got " + last.sql());
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < map.numElements(); i++) {
            String name = map.keyArray().get(i, DataTypes.StringType).toString();
            if (map.valueArray().isNullAt(i)) {
                throw new IllegalArgumentException("the option '" + name + "' must not be null: leave it out");
            }
            options.put(name, map.valueArray().get(i, DataTypes.StringType).toString());
        }
        return options;
    }
}
