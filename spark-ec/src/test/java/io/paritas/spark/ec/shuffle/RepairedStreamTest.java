/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.Logged;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.SnappyError;

/** Compressed blocks with one wrong byte anywhere, read as reducers do. */
class RepairedStreamTest {
    private static final long SEED = Long.getLong("io.paritas.test.seed", 20_261_123L);

    private final Random random = new Random(SEED);
    private final byte[] bytes = bytes();

    /** Half of them can be compressed. */
    private byte[] bytes() {
        byte[] all = new byte[300_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i % 4_096 < 2_048 ? random.nextInt() : 7);
        }
        return all;
    }

    private static CompressionCodec codec(String name) {
        return CompressionCodec$.MODULE$.createCodec(new SparkConf(false), name);
    }

    private byte[] compressed(String codec) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream compressor = codec(codec).compressedOutputStream(out)) {
            compressor.write(bytes);
        }
        return out.toByteArray();
    }

    private static InputStream read(String codec, byte[] damaged, CompletableFuture<ByteBuffer> decoded) {
        return new RepairedStream(
                "shuffle_0_1_2",
                new ByteArrayInputStream(damaged),
                raw -> codec(codec).compressedInputStream(raw),
                () -> decoded);
    }

    static Stream<IOException> interrupts() {
        return Stream.of(new ClosedByInterruptException(), new InterruptedIOException("Read interrupted"));
    }

    /** Its channel is closed under it. Nobody wants the block decoded. */
    @ParameterizedTest
    @MethodSource("interrupts")
    void aKilledTaskIsNoDamage(IOException interrupt) throws IOException {
        InputStream closed = new InputStream() {
            @Override
            public int read() throws IOException {
                throw interrupt;
            }
        };
        try (InputStream in = new RepairedStream("shuffle_0_1_2", closed, raw -> raw, () -> {
            throw new AssertionError("nothing is to be decoded");
        })) {
            assertThatThrownBy(in::read).isSameAs(interrupt);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lz4", "lzf", "snappy", "zstd"})
    void whatTheCodecNoticesIsRepairedOrStaysAFailure(String codec) throws IOException {
        byte[] whole = compressed(codec);
        int repaired = 0;
        for (int i = 0; i < 200; i++) {
            byte[] damaged = whole.clone();
            int at = i == 0 ? 0 : random.nextInt(damaged.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            repaired += repaired(codec, whole, damaged, "byte " + at);
        }
        assertThat(repaired).isPositive();
    }

    /** Some codecs take such lengths as they are. */
    @ParameterizedTest
    @ValueSource(strings = {"lz4", "lzf", "snappy", "zstd"})
    void wrongLengthsAreRepaired(String codec) throws IOException {
        byte[] whole = compressed(codec);
        byte[] some = new byte[20];
        int repaired = 0;
        for (int i = 0; i < 100; i++) {
            byte[] damaged = whole.clone();
            int at = random.nextInt(60);
            random.nextBytes(some);
            System.arraycopy(some, 0, damaged, at, some.length);
            repaired += repaired(codec, whole, damaged, "bytes from " + at);
        }
        assertThat(repaired).isPositive();
    }

    /** Returns 1 if the damage is repaired; 0 if the codec does not notice it, or only after wrong bytes were read. */
    private int repaired(String codec, byte[] whole, byte[] damaged, String what) throws IOException {
        boolean noticed = isNoticed(codec, damaged);
        try (InputStream in = read(codec, damaged, CompletableFuture.completedFuture(ByteBuffer.wrap(whole)))) {
            byte[] got = in.readAllBytes();
            if (noticed) {
                assertThat(got).as("%s, seed %s", what, SEED).isEqualTo(bytes);
            }
            return noticed ? 1 : 0;
        } catch (IOException e) {
            assertThat(e.getSuppressed()[0])
                    .as("wrong bytes were read before the damage was noticed")
                    .hasMessageContaining("bytes that were read before that must be right");
            return 0;
        }
    }

    private static boolean isNoticed(String codec, byte[] damaged) {
        try (InputStream in = codec(codec).compressedInputStream(new ByteArrayInputStream(damaged))) {
            in.readAllBytes();
            return false;
        } catch (IOException | RuntimeException | SnappyError e) {
            return true;
        }
    }

    @Test
    void aBlockThatEndsTooEarlyIsRepaired() throws IOException {
        byte[] whole = compressed("lz4");
        byte[] half = Arrays.copyOf(whole, whole.length / 2);

        assertThat(read("lz4", half, CompletableFuture.completedFuture(ByteBuffer.wrap(whole)))
                        .readAllBytes())
                .isEqualTo(bytes);
    }

    /** Spark computes the map output again then. */
    @Test
    void theDamageIsAFailureToReadIfTheDecodedBlockIsRefusedAsWell() {
        String refused = "the block cannot be decompressed: java.lang.NegativeArraySizeException: -1";
        InputStream in = new RepairedStream(
                "shuffle_0_1_2",
                InputStream.nullInputStream(),
                raw -> {
                    throw new NegativeArraySizeException("-1");
                },
                () -> CompletableFuture.completedFuture(ByteBuffer.wrap(bytes)));

        assertThatThrownBy(in::readAllBytes)
                .isInstanceOf(IOException.class)
                .hasMessage(refused)
                .satisfies(e -> assertThat(e.getSuppressed()).singleElement().satisfies(again -> assertThat(again)
                        .isInstanceOf(IOException.class)
                        .hasMessage(refused)));
    }

    private RepairedStream withLength(int length, int ofDecoded) {
        int[] lengths = {length, ofDecoded};
        int[] opened = {0};
        return new RepairedStream(
                "shuffle_0_1_2",
                InputStream.nullInputStream(),
                raw -> new ByteArrayInputStream(new byte[lengths[opened[0]++]]),
                () -> CompletableFuture.completedFuture(ByteBuffer.wrap(bytes)));
    }

    /** Spark ends an executor that has no memory, with all that it keeps. The JVM refuses an array of this length at once. */
    @Test
    void aLengthThatTheHeapHasNoRoomForIsDamage() throws IOException {
        assertThat(withLength(Integer.MAX_VALUE, 3).readAllBytes()).hasSize(3);
        assertThatThrownBy(
                        () -> withLength(Integer.MAX_VALUE, Integer.MAX_VALUE).readAllBytes())
                .as("of a block that is right, it is a shortage")
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void noRoomIsNotTheCauseIfTheBlockCannotBeDecoded() {
        InputStream in = new RepairedStream(
                "shuffle_0_1_2",
                InputStream.nullInputStream(),
                raw -> new ByteArrayInputStream(new byte[Integer.MAX_VALUE]),
                () -> CompletableFuture.failedFuture(new IOException("too few files")));
        assertThatThrownBy(in::readAllBytes)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the block cannot be decompressed: java.lang.OutOfMemoryError: ")
                .hasNoCause();
    }

    /** A disk that fails, or a file that is gone, is no damage of the block. */
    @Test
    void theLogSaysWhyABlockIsDecoded() throws IOException {
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("Input/output error");
            }
        };
        try (Logged log = new Logged(RepairedStream.class.getName());
                InputStream in = new RepairedStream(
                        "shuffle_0_1_2",
                        failing,
                        raw -> raw,
                        () -> CompletableFuture.completedFuture(ByteBuffer.wrap(bytes)))) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN shuffle_0_1_2 cannot be read from byte 0 on (Input/output error): it is decoded");
        }
    }

    @Test
    void theDamageIsReportedIfTheBlockCannotBeDecoded() throws IOException {
        byte[] damaged = compressed("lz4");
        damaged[damaged.length / 2] ^= 1;
        IOException reason = new IOException("too few files");

        assertThatThrownBy(() -> read("lz4", damaged, CompletableFuture.failedFuture(reason))
                        .readAllBytes())
                .isInstanceOf(IOException.class)
                .hasSuppressedException(reason);
    }
}
