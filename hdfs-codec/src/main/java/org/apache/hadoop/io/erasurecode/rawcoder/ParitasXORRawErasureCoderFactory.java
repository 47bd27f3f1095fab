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
 * <p>Found by {@link java.util.ServiceLoader}. Hadoop's registry dies, and all erasure coding of the JVM with it, when a
 * factory cannot be loaded; so this class does nothing until a coder is asked for.
 */
@InterfaceAudience.Private
public final class ParitasXORRawErasureCoderFactory implements RawErasureCoderFactory {
    /** The name to put into {@code io.erasurecode.codec.xor.rawcoders}. */
    public static final String CODER_NAME = "xor_paritas";

    /** Holds the coders; a class of its own, so that loading the factory loads nothing else. */
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
            throw new IllegalArgumentException("The codec xor has one parity unit; got " + parameters);
        }
        return Generators.xor(parameters.k());
    }
}
