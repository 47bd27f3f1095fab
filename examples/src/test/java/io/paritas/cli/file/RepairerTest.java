/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.paritas.erasure.file.UnitsException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairerTest {
    private static final FileTime LONG_AGO = FileTime.fromMillis(1_000_000_000_000L);

    @TempDir
    private Path home;

    private Sample sample;
    private Map<String, String> before;

    @BeforeEach
    void encode() throws Exception {
        sample = Sample.of(home, "rs-3-2", 5 * 48 + 7);
        before = sample.bytes();
    }

    @Test
    void everyLossOfUpToTwoOfFiveUnitsIsUndone() throws Exception {
        for (int first = 0; first < 5; first++) {
            for (int second = first; second < 5; second++) {
                Files.delete(sample.unit(first));
                Files.deleteIfExists(sample.unit(second));
                Repairer.repair(sample.inspected());
                assertThat(sample.bytes())
                        .as("%s without %d and %d", sample, first, second)
                        .isEqualTo(before);
            }
        }
    }

    @Test
    void damageInEveryUnitIsUndone() throws Exception {
        for (int stripe = 0; stripe < 6; stripe++) {
            sample.damage(stripe % 5, stripe);
            sample.damage((stripe + 2) % 5, stripe);
        }
        Repairer.repair(sample.inspected());
        assertThat(sample.bytes()).as("%s", sample).isEqualTo(before);
    }

    /** Units of one directory may lie on several disks. */
    @Test
    void aUnitBehindALinkIsRepairedWhereItIs() throws Exception {
        Path disk = Files.createDirectory(home.resolve("disk"));
        Path moved = Files.move(sample.unit(3), disk.resolve("third"));
        Files.createSymbolicLink(sample.unit(3), moved);
        for (long position : new long[] {0, sample.group().chunkPosition(2)}) {
            sample.flip(3, position);
            Repairer.repair(sample.inspected());
            assertThat(sample.unit(3)).as("damage at byte %d", position).isSymbolicLink();
            assertThat(sample.bytes()).as("%s", sample).isEqualTo(before);
            assertThat(Sample.names(disk)).containsExactly("third");
        }
    }

    @Test
    void onlyOneOfTwoUnitsIsRepairedBehindLinksToTheSameFile() throws Exception {
        Path file = Files.createFile(home.resolve("file"));
        for (int unit : new int[] {1, 3}) {
            Files.delete(sample.unit(unit));
            Files.createSymbolicLink(sample.unit(unit), file);
        }
        Repairer.repair(sample.inspected());
        assertThat(sample.bytes()).isEqualTo(before);
        assertThat(sample.unit(1)).isSymbolicLink();
        assertThat(Files.isSymbolicLink(sample.unit(3))).isFalse();
    }

    /** A repair by root must not make a file of a device, such as /dev/null. The socket here stands for one. */
    @Test
    void onlyTheLinkToSomethingElseThanAFileIsReplaced() throws Exception {
        Path socket = home.resolve("socket");
        Files.delete(sample.unit(3));
        Files.createSymbolicLink(sample.unit(3), socket);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Repairer.repair(sample.inspected());
            assertThat(Files.readAttributes(socket, BasicFileAttributes.class).isOther())
                    .isTrue();
        }
        assertThat(Files.isSymbolicLink(sample.unit(3))).isFalse();
        assertThat(sample.bytes()).isEqualTo(before);
    }

    @Test
    void onlyTheDamagedUnitIsWritten() throws Exception {
        for (int unit = 0; unit < 5; unit++) {
            Files.setLastModifiedTime(sample.unit(unit), LONG_AGO);
        }
        sample.flip(3, 20);
        Repairer.repair(sample.inspected());
        assertThat(sample.bytes()).as("%s", sample).isEqualTo(before);
        for (int unit : new int[] {0, 1, 2, 4}) {
            assertThat(Files.getLastModifiedTime(sample.unit(unit))).isEqualTo(LONG_AGO);
        }
    }

    @Test
    void aRenamedUnitIsRepairedWhereItIs() throws Exception {
        sample.damage(0, 1);
        Path zero = sample.directory().resolve("zero.paritas");
        Files.move(sample.unit(0), zero);
        Repairer.repair(sample.inspected());
        assertThat(sample.inspected().sound()).isTrue();
        assertThat(zero).exists();
        assertThat(sample.unit(0)).doesNotExist();
    }

    @Test
    void anIntactUnitOfAnotherEncodeIsNotOverwritten() throws Exception {
        Sample other = Sample.of(home, "rs-3-2", 10, "other");
        Files.delete(sample.unit(1));
        Files.copy(other.unit(2), sample.unit(1));
        Map<String, String> mixed = sample.bytes();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> Repairer.repair(sample.inspected()))
                .withMessage("a repair must not overwrite an intact unit, the place of unit 1 is taken:"
                        + " unit-001.paritas is"
                        + " unit 2 of " + other.group() + ": move it away or rename it");
        assertThat(sample.bytes()).isEqualTo(mixed);
    }

    @Test
    void whatCannotBeRepairedIsLeftAlone() throws Exception {
        sample.damage(0, 4);
        sample.damage(1, 4);
        sample.damage(2, 4);
        sample.damage(3, 1);
        Map<String, String> damaged = sample.bytes();
        assertThatExceptionOfType(UnitsException.class)
                .isThrownBy(() -> Repairer.repair(sample.inspected()))
                .withMessageStartingWith("1 of 6 stripes cannot be repaired, the first is stripe 4");
        assertThat(sample.bytes()).isEqualTo(damaged);
    }

    @Test
    void theUnitsOfAnEmptyFileAreMadeOfAnyOne() throws Exception {
        Sample empty = Sample.of(home, "rs-3-2", 0, "empty");
        Map<String, String> sound = empty.bytes();
        for (int unit = 0; unit < 4; unit++) {
            Files.delete(empty.unit(unit));
        }
        Repairer.repair(empty.inspected());
        assertThat(empty.bytes()).isEqualTo(sound);
    }
}
