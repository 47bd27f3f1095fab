/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.paritas.cli.file.PendingFiles.Existing;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.ChunkSize;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoundTripTest {
    @TempDir
    private Path home;

    static Stream<Arguments> codesAndLengths() {
        return Stream.of(
                        "rs-6-3",
                        "rs-3-2",
                        "isal-4-2",
                        "xor-2",
                        "rs-1-1",
                        "paritas-6-3",
                        "lrc-6-2-2",
                        "strip-1-1-1",
                        "strip-2-1-2",
                        "strip-5-3-3",
                        "strip-6-3-5",
                        "strip-6-3-8")
                .flatMap(code -> {
                    int stripe = CodeName.parseForFiles(code).k() * Sample.CHUNK;
                    return IntStream.of(0, 1, 2, stripe - 1, stripe, stripe + 1, 5 * stripe, 5 * stripe + 7)
                            .mapToObj(length -> Arguments.of(code, length));
                });
    }

    /** As a disk image in use: its length stays, and its units would be of no file that there ever was. */
    @Test
    @Timeout(60)
    void aFileThatIsWrittenToMeanwhileIsRefused() throws Exception {
        Path file = Files.write(home.resolve("image"), new byte[1 << 20]);
        Encoder encoder = new Encoder(file, home.resolve("units"), Existing.REPLACED);
        AtomicBoolean refused = new AtomicBoolean();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> overwrite(file, refused));
        try {
            while (!refused.get()) {
                try {
                    encoder.encode(CodeName.parseForFiles("rs-6-3"), new ChunkSize(Sample.CHUNK));
                } catch (IOException e) {
                    refused.set(true);
                    assertThat(e)
                            .hasMessage("a file must not change while it is encoded, " + file
                                    + " has been written to. Try again");
                }
            }
        } finally {
            refused.set(true);
            writer.join();
        }
    }

    private static void overwrite(Path file, AtomicBoolean end) {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            for (int i = 0; !end.get(); i++) {
                open.seek(i % open.length());
                open.write(7);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("codesAndLengths")
    void aFileComesBack(String code, int length) throws Exception {
        Sample sample = Sample.of(home, code, length);
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
        assertThat(sample.inspected().sound()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("codesAndLengths")
    void aFileComesBackWithoutItsFirstUnit(String code, int length) throws Exception {
        Sample sample = Sample.of(home, code, length);
        Files.delete(sample.unit(0));
        assertThat(sample.decoded()).as("%s", sample).isEqualTo(sample.content());
    }

    @ParameterizedTest
    @MethodSource("codesAndLengths")
    void theUnitsAreAsLongAsTheGroupSays(String code, int length) throws Exception {
        Sample sample = Sample.of(home, code, length);
        assertThat(Sample.names(sample.directory()))
                .hasSize(sample.group().code().n());
        for (int unit = 0; unit < sample.group().code().n(); unit++) {
            assertThat(sample.unit(unit)).hasSize(sample.group().unitLength());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rs-3-2", "strip-3-2-3", "strip-3-2-7"})
    void everyLossOfUpToTwoOfFiveUnitsIsMadeUp(String code) throws Exception {
        Sample sample = Sample.of(home, code, 5 * 48 + 7);
        for (int first = 0; first < 5; first++) {
            for (int second = first; second < 5; second++) {
                byte[] one = Files.readAllBytes(sample.unit(first));
                byte[] two = Files.readAllBytes(sample.unit(second));
                Files.delete(sample.unit(first));
                Files.deleteIfExists(sample.unit(second));
                assertThat(sample.decoded())
                        .as("%s without %d and %d", sample, first, second)
                        .isEqualTo(sample.content());
                Files.write(sample.unit(first), one);
                Files.write(sample.unit(second), two);
            }
        }
    }

    @Test
    void twoEncodesAreTwoGroups() throws Exception {
        Sample one = Sample.of(home, "rs-3-2", 100, "one");
        Sample other = Sample.of(home, "rs-3-2", 100, "other");
        assertThat(one.group().id()).isNotEqualTo(other.group().id());
    }

    @Test
    void unitsAndFileAreAsAccessibleAsWhatTheyAreMadeOf() throws Exception {
        Path file = Files.write(home.resolve("secret"), new byte[100]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Path units = home.resolve("units");
        new Encoder(file, units, Existing.KEPT).encode(CodeName.parse("xor-2"), new ChunkSize(Sample.CHUNK));
        assertThat(permissions(units.resolve("unit-001.paritas"))).isEqualTo("rw-r-----");

        Files.setPosixFilePermissions(units.resolve("unit-002.paritas"), PosixFilePermissions.fromString("rw-------"));
        new Decoder(UnitScan.scan(units), Existing.KEPT).decode(home.resolve("decoded"));
        assertThat(permissions(home.resolve("decoded"))).isEqualTo("rw-------");
    }

    /** Of an owner who runs nothing here, as where a job of the superuser repairs the units of a service. */
    @Test
    void unitsAndFileBelongToWhomTheirSourcesBelong() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can give files away");
        UserPrincipalLookupService users = home.getFileSystem().getUserPrincipalLookupService();
        UserPrincipal owner = users.lookupPrincipalByName("daemon");
        GroupPrincipal group = users.lookupPrincipalByGroupName("daemon");
        Path file = Files.write(home.resolve("secret"), new byte[100]);
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setGroup(group);
        view.setOwner(owner);
        view.setPermissions(PosixFilePermissions.fromString("rw-r-----"));
        Path units = home.resolve("units");
        new Encoder(file, units, Existing.KEPT).encode(CodeName.parse("xor-2"), new ChunkSize(Sample.CHUNK));
        Path unit = units.resolve("unit-001.paritas");
        assertThat(access(unit)).isEqualTo("daemon daemon rw-r-----");

        Files.delete(unit);
        Repairer.repair(Inspector.inspect(UnitScan.scan(units)));
        assertThat(access(unit)).isEqualTo("daemon daemon rw-r-----");

        Files.getFileAttributeView(unit, PosixFileAttributeView.class)
                .setGroup(users.lookupPrincipalByGroupName("root"));
        new Decoder(UnitScan.scan(units), Existing.KEPT).decode(home.resolve("decoded"));
        assertThat(access(home.resolve("decoded")))
                .as("the units have no group in common")
                .isEqualTo("daemon root rw-------");
    }

    private static String access(Path file) throws Exception {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        return attributes.owner() + " " + attributes.group() + " " + permissions(file);
    }

    private static String permissions(Path file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
