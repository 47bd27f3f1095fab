/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference;

import io.paritas.PublicApi;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The bytes of a model and their hash, by which Paritas identifies models. Complete: weights that an ONNX model keeps in other
 * files are read in. Immutable, and serializable for Spark's broadcasts.
 */
@PublicApi
public final class ModelFile implements Serializable {
    private static final long serialVersionUID = 1;

    /** Of an array, and of a protocol buffer. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

    private final ModelFormat format;
    private final byte[] bytes;
    private final String sha256;

    private ModelFile(ModelFormat format, byte[] bytes) {
        this.format = format;
        this.bytes = bytes;
        this.sha256 = HexFormat.of().formatHex(digest().digest(bytes));
    }

    /**
     * A model in memory; its first bytes tell the format. The array is copied.
     *
     * @throws ModelException if there are no bytes, or weights are in other files, which {@link #read} takes in
     */
    public static ModelFile of(byte[] bytes) {
        if (bytes.length == 0) {
            throw new ModelException("a model must have bytes, got none: were they read completely?");
        }
        byte[] own = bytes.clone();
        ModelFormat format = formatOf(own);
        if (format == ModelFormat.ONNX) {
            ExternalData.requireNone(own);
        }
        return new ModelFile(format, own);
    }

    /**
     * Reads a model.
     *
     * @throws ModelException if the file is empty, weights beside it are missing or too short, or both together have 2 GiB or more
     * @throws UncheckedIOException if the file cannot be read
     */
    public static ModelFile read(Path path) {
        try {
            requireSize(Files.size(path), path);
            byte[] bytes = Files.readAllBytes(path);
            if (bytes.length == 0) {
                throw new ModelException("a model must have bytes, " + path + " is empty: was it written completely?");
            }
            ModelFormat format = formatOf(bytes);
            return new ModelFile(format, format == ModelFormat.ONNX ? ExternalData.inline(bytes, path) : bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the model " + path + ": " + e.getMessage(), e);
        }
    }

    static void requireSize(long bytes, Path path) {
        if (bytes > MOST_BYTES) {
            throw new ModelException("a model must be below 2 GiB with its weights, " + path + " has " + bytes
                    + " bytes: take a smaller network");
        }
    }

    /**
     * Writes the model, completely or not at all.
     *
     * @throws UncheckedIOException if it cannot be written
     */
    public void write(Path path) {
        try {
            CompleteFile.write(path, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the model " + path + ": " + e.getMessage(), e);
        }
    }

    /** The format. */
    public ModelFormat format() {
        return format;
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Number of bytes. */
    public int size() {
        return bytes.length;
    }

    /** SHA-256 of the bytes, in lower-case hexadecimal. */
    public String sha256() {
        return sha256;
    }

    /** TorchScript is a zip archive, which starts with "PK"; protobuf never does. */
    private static ModelFormat formatOf(byte[] bytes) {
        boolean zip = bytes.length > 1 && bytes[0] == 'P' && bytes[1] == 'K';
        return zip ? ModelFormat.TORCHSCRIPT : ModelFormat.ONNX;
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
