/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;

/**
 * Messages with the name of the component that they are for. They are entries of the JDK, because Spark's dispatchers need not
 * know the classes of jars that were added later.
 */
final class Envelope {
    /** The name of no component. The driver drops its messages. */
    private static final String NOBODY = "";

    private Envelope() {}

    static Map.Entry<String, Object> of(String component, Object message) {
        return new SimpleImmutableEntry<>(component, message);
    }

    /** A message for no component. */
    static Map.Entry<String, Object> empty() {
        return of(NOBODY, null);
    }

    static String component(Object envelope) {
        return (String) ((Map.Entry<?, ?>) envelope).getKey();
    }

    static Object message(Object envelope) {
        return ((Map.Entry<?, ?>) envelope).getValue();
    }

    static boolean isEmpty(Object envelope) {
        return component(envelope).equals(NOBODY);
    }
}
