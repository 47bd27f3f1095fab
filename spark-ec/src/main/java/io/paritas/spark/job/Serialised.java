/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.job;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * What tasks take and return, serialised as Spark's closures are. Spark itself would take {@code spark.serializer}: Kryo cannot
 * write records, and may be told to refuse classes that are not registered.
 */
public final class Serialised {
    private Serialised() {}

    public static byte[] write(Object value) {
        return JavaUtils.bufferToArray(serialiser().serialize(value, any()));
    }

    public static <T> T read(byte[] bytes) {
        return serialiser().deserialize(ByteBuffer.wrap(bytes), Serialised.<T>any());
    }

    /** Collects what tasks return. */
    public static <T> List<T> collect(JavaRDD<T> results) {
        return results.map(Serialised::write).collect().stream()
                .map(Serialised::<T>read)
                .toList();
    }

    private static SerializerInstance serialiser() {
        return SparkEnv.get().closureSerializer().newInstance();
    }

    private static <T> ClassTag<T> any() {
        return ClassTag$.MODULE$.apply(Object.class);
    }
}
