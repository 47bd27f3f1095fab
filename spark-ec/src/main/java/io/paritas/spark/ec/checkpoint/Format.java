/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.Iterator;

/** The format of a partition's elements. In tasks. */
interface Format<T> extends Serializable {
    /**
     * Writes elements, and closes the output.
     *
     * @return the number of elements
     */
    long write(Iterator<T> elements, OutputStream output) throws IOException;

    /** Reads elements that {@link #write} wrote. */
    Source<T> read(InputStream input);

    /** Elements that are read one at a time. It is to be closed: what decompresses them may have memory beyond Java's heap. */
    interface Source<T> extends Closeable {
        /** Reads the next element, which is valid until the following call. */
        T next() throws IOException;
    }
}
