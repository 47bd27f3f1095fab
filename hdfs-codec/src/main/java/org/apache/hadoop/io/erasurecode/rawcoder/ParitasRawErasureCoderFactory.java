/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.Generators;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * The codec {@code paritas} for user-defined policies: the generators and shapes of {@link Generators#paritas} instead
 * of those of codec {@code rs}. No other coder reads its files: the NameNodes, and every client and DataNode that uses
 * such a file, need this jar.
 *
 * <p>Found by {@link java.util.ServiceLoader}. A factory that cannot be loaded breaks Hadoop's registry, and with it
 * all erasure coding of the JVM; so this class does nothing until a coder is requested.
 */
@InterfaceAudience.Private
public final class ParitasRawErasureCoderFactory implements RawErasureCoderFactory {
    /** The codec's name in a policy's schema. */
    public static final String CODEC_NAME = "paritas";

    /** The only coder of the codec, so {@code io.erasurecode.codec.paritas.rawcoders} need not be set. */
    public static final String CODER_NAME = "paritas_paritas";

    /** Holds the coders. A separate class, so that loading the factory loads nothing else. */
    private static final class Holder {
        static final ParitasCoders CODERS = new ParitasCoders(CODER_NAME, Generators::paritas);
    }

    /**
     * @throws IllegalArgumentException if there is no generator of this shape; the message lists the shapes
     */
    @Override
    public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
        return Holder.CODERS.encoder(options);
    }

    /**
     * @throws IllegalArgumentException if there is no generator of this shape; the message lists the shapes
     */
    @Override
    public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
        return Holder.CODERS.decoder(options);
    }

    @Override
    public String getCoderName() {
        return CODER_NAME;
    }

    @Override
    public String getCodecName() {
        return CODEC_NAME;
    }
}
