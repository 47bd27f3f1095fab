/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import scala.Function0;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/** The head and the tabs that Spark puts around a page. Spark 4.1 and 4.2 differ in how many switches follow its arguments; all are off here. */
final class SparkFrame {
    private static final Method HEADER = Arrays.stream(UIUtils.class.getMethods())
            .filter(method -> method.getName().equals("headerSparkPage"))
            .findFirst()
            .orElseThrow();

    private SparkFrame() {}

    @SuppressWarnings("unchecked")
    static Seq<Node> around(Seq<Node> content, String title, HttpServletRequest request, SparkUITab tab) {
        Function0<Seq<Node>> page = () -> content;
        Stream<Object> arguments = Stream.of(request, title, page, tab, Option.empty());
        Stream<Object> switches = Arrays.stream(HEADER.getParameterTypes())
                .filter(boolean.class::equals)
                .map(type -> false);
        try {
            return (Seq<Node>)
                    HEADER.invoke(null, Stream.concat(arguments, switches).toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Spark's UI has refused the page " + title, e);
        }
    }
}
