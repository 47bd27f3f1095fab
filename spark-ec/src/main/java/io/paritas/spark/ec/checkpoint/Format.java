/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.Iterator;

/** How a partition's elements become bytes. In tasks. */
interface Format<T> extends Serializable {
    /**
     * Writes elements, and closes the output.
     *
     * @return how many
     */
    long write(Iterator<T> elements, OutputStream output) throws IOException;

    /** Reads what {@link #write} wrote. */
    Source<T> read(InputStream input);

    /** Elements that are read as they are asked for. */
    interface Source<T> {
        /** The next element, valid until the one after it is asked for. */
        T next() throws IOException;
    }
}
