/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.io.erasurecode.rawcoder;

import io.paritas.erasure.CodeParameters;
import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * The coder {@code xor_paritas} for HDFS's codec {@code xor}, with one parity unit.
 *
 * <p>Found by {@link java.util.ServiceLoader}. A factory that cannot be loaded breaks Hadoop's registry, and with it
 * all erasure coding of the JVM; so this class does nothing until a coder is requested.
 */
@InterfaceAudience.Private
public final class ParitasXORRawErasureCoderFactory implements RawErasureCoderFactory {
    /** The name for {@code io.erasurecode.codec.xor.rawcoders}. */
    public static final String CODER_NAME = "xor_paritas";

    /** Holds the coders. A separate class, so that loading the factory loads nothing else. */
    private static final class Holder {
        static final ParitasCoders CODERS = new ParitasCoders(CODER_NAME, ParitasXORRawErasureCoderFactory::generator);
    }

    @Override
    public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
        return Holder.CODERS.encoder(options);
    }

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
        return ErasureCodeConstants.XOR_CODEC_NAME;
    }

    private static Matrix generator(CodeParameters parameters) {
        if (parameters.r() != 1) {
            throw new IllegalArgumentException("the codec xor has one parity unit, got " + parameters);
        }
        return Generators.xor(parameters.k());
    }
}
