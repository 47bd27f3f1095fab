/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.OutputStream;
import java.util.Iterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The format of an RDD's elements: a compressed stream of {@code spark.serializer}, one object after another.
 *
 * @param compression compression of the stream
 */
record ElementFormat(Compression compression) implements Format<Object> {
    private static final ClassTag<Object> ANY = ClassTag$.MODULE$.apply(Object.class);

    @Override
    public long write(Iterator<Object> elements, OutputStream output) throws IOException {
        long count = 0;
        SerializationStream out = SparkEnv.get().serializer().newInstance().serializeStream(compression.output(output));
        try (out) {
            while (elements.hasNext()) {
                TaskContext.get().killTaskIfInterrupted();
                out.writeObject(elements.next(), ANY);
                count++;
            }
        } catch (Exception e) {
            if (e instanceof NotSerializableException) {
                throw new IllegalArgumentException(
                        "classes of elements must be serialisable by spark.serializer, got "
                                + e.getMessage().lines().findFirst().orElseThrow()
                                + ": implement java.io.Serializable, or use Kryo",
                        e);
            }
            throw e;
        }
        return count;
    }

    @Override
    public Source<Object> read(InputStream input) {
        return new Elements(SparkEnv.get().serializer().newInstance().deserializeStream(compression.input(input)));
    }

    private record Elements(DeserializationStream in) implements Source<Object> {
        @Override
        public Object next() {
            return in.readObject(ANY);
        }

        @Override
        public void close() {
            in.close();
        }
    }
}
