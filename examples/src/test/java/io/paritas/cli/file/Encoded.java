/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.CodeName;
import io.paritas.erasure.file.UnitHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** A file and its units, as they were made. */
record Encoded(Sample sample, List<byte[]> units) {
    static Encoded of(Sample sample) throws IOException {
        List<byte[]> units = new ArrayList<>();
        for (int unit = 0; unit < sample.group().code().n(); unit++) {
            units.add(Files.readAllBytes(sample.unit(unit)));
        }
        return new Encoded(sample, units);
    }

    int parity() {
        return units.size() - sample.group().code().k();
    }

    /** The number of the unit that a file starts like and is as long as. */
    Optional<Integer> unit(byte[] file) {
        return IntStream.range(0, units.size())
                .filter(unit -> file.length == units.get(unit).length
                        && Arrays.equals(file, 0, UnitHeader.LENGTH, units.get(unit), 0, UnitHeader.LENGTH))
                .boxed()
                .findFirst();
    }

    /** Whether a chunk is as it was made. */
    boolean intact(int unit, long stripe, byte[] file) {
        int start = (int) sample.group().chunkPosition(stripe);
        int end = (int) Math.min(file.length, sample.group().chunkPosition(stripe + 1));
        return Arrays.equals(file, start, end, units.get(unit), start, end);
    }

    /** Whether the code makes up for some units. */
    boolean recovers(Set<Integer> lost) {
        CodeName code = sample.group().code();
        int groups = code.localGroups();
        Map<Integer, Integer> excess = new HashMap<>();
        for (int group = 0; group < groups; group++) {
            excess.put(group, -1);
        }
        for (int unit : lost) {
            int first = code.n() - groups;
            int group = groups > 0 && unit < code.k() ? unit * groups / code.k() : unit - first;
            excess.merge(groups > 0 && (unit < code.k() || unit >= first) ? group : -1, 1, Integer::sum);
        }
        return excess.values().stream().mapToInt(each -> Math.max(0, each)).sum() <= parity() - groups;
    }

    @Override
    public String toString() {
        return sample.toString();
    }
}
