/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages for readers: their links lead somewhere, and the settings, classes and packages that they name exist. */
class DocumentationTest {
    private static final Pattern COMMENT = Pattern.compile("<!--.*?-->");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    /** A name of ours, and what makes it a prefix of others, as in {@code spark.paritas.{ec,ecrm}.*}. */
    private static final Pattern NAME = Pattern.compile("(?:-D|\\b)((?:spark|io)\\.paritas(?:\\.\\w+)*)(\\.?[*{…])?");

    private static final Pattern KEY = Pattern.compile("(?m)^\\| `((?:spark|io)\\.paritas[\\w.]+)`");
    private static final Pattern SOURCE = Pattern.compile("/(io/paritas/.*)\\.java$");
    private static final Pattern LITERAL = Pattern.compile("\"(io\\.paritas[\\w.]+)\"");

    private static Stream<String> find(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    @Test
    void linksLeadToFilesAndHeadings() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : Pages.all()) {
            String text = Pages.prose(page);
            for (String link :
                    find(LINK, text).filter(link -> !link.contains(":")).toList()) {
                if (!leadsSomewhere(page, link)) {
                    broken.add(page + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Path page, String link) throws IOException {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file);
        return Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
    }

    /** The anchors that GitHub gives the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        return find(HEADING, Pages.prose(page))
                .map(heading -> heading.strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    @Test
    void settingsHaveAnEntryInTheReference() throws IOException {
        Set<String> keys = keys();

        assertThat(unknownNames("spark.paritas", keys::contains)).isEmpty();
    }

    @Test
    void otherNamesAreThoseOfSettingsClassesPackagesAndLiterals() throws IOException {
        Set<String> known = keys();
        for (Path source : sources()) {
            Matcher path = SOURCE.matcher(source.toString());
            for (String name = path.find() ? path.group(1).replace('/', '.') : ""; name.contains("."); ) {
                known.add(name);
                name = name.substring(0, name.lastIndexOf('.'));
            }
            // Loggers, and properties of tests and of studies.
            find(LITERAL, Files.readString(source)).forEach(known::add);
        }

        assertThat(unknownNames("io.paritas", known::contains)).isEmpty();
    }

    private static Set<String> keys() throws IOException {
        Set<String> keys = find(KEY, Files.readString(Pages.DOCS.resolve("configuration.md")))
                .collect(Collectors.toCollection(HashSet::new));
        assertThat(keys).contains("spark.paritas.ec.repair.enabled", "io.paritas.kernel");
        return keys;
    }

    /** The Java sources of all modules, tests included. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Pages.ROOT)) {
            for (Path source : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(source)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private static List<String> unknownNames(String root, Predicate<String> known) throws IOException {
        Set<String> keys = keys();
        List<String> unknown = new ArrayList<>();
        for (Path page : Pages.all()) {
            String text = COMMENT.matcher(Files.readString(page)).replaceAll("");
            NAME.matcher(text)
                    .results()
                    .filter(found -> found.group(1).startsWith(root))
                    .filter(found -> !known.test(found.group(1)) && !isPrefix(found, keys))
                    .forEach(found -> unknown.add(page + ": " + found.group()));
        }
        return unknown;
    }

    private static boolean isPrefix(MatchResult found, Set<String> keys) {
        return found.group(2) != null && keys.stream().anyMatch(key -> key.startsWith(found.group(1)));
    }
}
