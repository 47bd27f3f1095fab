/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.checkpoint;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.io.CompressionCodec;

/**
 * The compression of partitions.
 *
 * @param codec Spark's short name of the codec
 */
record Compression(String codec) implements Serializable {

    /**
     * Also of a name that a file has, so it must not choose a class.
     *
     * @throws IllegalArgumentException if Spark has no codec of that name
     */
    Compression {
        codec = CompressionCodec.getShortName(codec);
    }

    /** The compression of an application. */
    static Compression of(SparkConf conf) {
        return new Compression(CompressionCodec.getCodecName(conf));
    }

    OutputStream output(OutputStream output) {
        return instance().compressedOutputStream(output);
    }

    InputStream input(InputStream input) {
        return instance().compressedInputStream(input);
    }

    private CompressionCodec instance() {
        return CompressionCodec.createCodec(SparkEnv.get().conf(), codec);
    }
}
