/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages for readers, and the pieces of code in them. */
final class Pages {
    static final Path ROOT = Path.of("..");
    static final Path DOCS = ROOT.resolve("docs");

    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```");

    /** @param number of the piece in its page, from 1 */
    record Snippet(Path page, int number, String language, String text) {
        @Override
        public String toString() {
            return page.getFileName() + " " + number;
        }
    }

    private Pages() {}

    static List<Path> all() throws IOException {
        try (Stream<Path> docs = Files.walk(DOCS)) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "examples/README.md")
                                    .map(ROOT::resolve),
                            docs.filter(file -> file.toString().endsWith(".md")).sorted())
                    .toList();
        }
    }

    /** The text of a page without its pieces of code. */
    static String prose(Path page) throws IOException {
        return FENCE.matcher(Files.readString(page)).replaceAll("");
    }

    static List<Snippet> snippets() throws IOException {
        List<Snippet> snippets = new ArrayList<>();
        for (Path page : all()) {
            Matcher found = FENCE.matcher(Files.readString(page));
            for (int number = 1; found.find(); number++) {
                snippets.add(new Snippet(page, number, found.group(1), found.group(2)));
            }
        }
        return snippets;
    }
}
