/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names that look like settings and are none. They are warned of, not refused: applications of several versions may share a file of
 * settings.
 */
public final class UnknownSettings {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownSettings.class);

    /** How many letters a misspelt group of settings has wrong. */
    private static final LevenshteinDistance NEAR = new LevenshteinDistance(2);

    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private UnknownSettings() {}

    /** Warns once of each of these names that is no setting, but is in one of the groups, or nearly the name of a setting. */
    public static void warn(Collection<String> names, List<SettingGroup> groups) {
        for (String name : names) {
            if (isUnknown(name, groups) && WARNED.add(name)) {
                LOG.warn("Paritas: {}", sentence(name, groups));
            }
        }
    }

    static boolean isUnknown(String name, List<SettingGroup> groups) {
        List<String> keys = keys(groups);
        return (groups.stream().anyMatch(group -> name.startsWith(group.prefix())) || isMisspelt(name, keys))
                && keys.stream().noneMatch(name::equals);
    }

    private static boolean isMisspelt(String name, List<String> keys) {
        return name.startsWith("spark.p") && keys.stream().anyMatch(key -> NEAR.apply(key, name) >= 0);
    }

    private static List<String> keys(List<SettingGroup> groups) {
        return groups.stream()
                .flatMap(group -> group.all().stream())
                .<String>map(Setting::key)
                .toList();
    }

    /** What is wrong with a name, and which one may be meant. */
    static String sentence(String name, List<SettingGroup> groups) {
        return "there is no setting " + name
                + nearest(name, keys(groups))
                        .map(key -> ", and it has no effect: did you mean " + key + "?")
                        .orElse("");
    }

    /** Which of some names a misspelt one is most like; empty if there are none. */
    public static Optional<String> nearest(String misspelt, List<String> names) {
        LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
        String lower = misspelt.toLowerCase(Locale.ROOT);
        return names.stream()
                .min(Comparator.comparingInt(name -> distance.apply(name.toLowerCase(Locale.ROOT), lower)));
    }
}
