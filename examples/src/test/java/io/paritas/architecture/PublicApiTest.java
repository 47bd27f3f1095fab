/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.paritas.PublicApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public interface: {@code docs/api.md} lists it, it is closed, and all of it is documented. */
class PublicApiTest {
    private static final Path PAGE = Path.of("..", "docs", "api.md");

    private static List<JavaClass> api() {
        return Classes.ALL.stream()
                .filter(type -> type.isAnnotatedWith(PublicApi.class))
                .toList();
    }

    @Test
    void thePageListsThePublicInterface() throws IOException {
        Map<String, List<String>> byPackage = api().stream()
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getSimpleName, Collectors.toList())));
        GeneratedBlock.in(PAGE, "api")
                .isUpToDate("| Package | Types |\n|---|---|\n"
                        + byPackage.entrySet().stream()
                                .map(entry -> "| `" + entry.getKey() + "` | "
                                        + entry.getValue().stream()
                                                .sorted()
                                                .map(name -> "`" + name + "`")
                                                .collect(Collectors.joining(", "))
                                        + " |\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void itsTypesArePublic() {
        assertThat(api()).allSatisfy(type -> assertThat(type.getModifiers()).contains(JavaModifier.PUBLIC));
    }

    @Test
    void itsSignaturesNameOnlyTypesOfItsOwn() {
        assertThat(api().stream().flatMap(PublicApiTest::leaks)).isEmpty();
    }

    private static Stream<String> leaks(JavaClass type) {
        Stream<String> parents = Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
                .filter(PublicApiTest::isInternal)
                .map(parent -> type.getName() + " extends " + parent.getName());
        Stream<String> members = type.getMembers().stream()
                .filter(PublicApiTest::isVisible)
                .flatMap(member -> types(member)
                        .map(JavaClass::getBaseComponentType)
                        .filter(PublicApiTest::isInternal)
                        .map(leak -> member.getFullName() + " has " + leak.getName()));
        return Stream.concat(parents, members);
    }

    private static boolean isVisible(JavaMember member) {
        return (member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                && !member.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static Stream<JavaClass> types(JavaMember member) {
        return member instanceof JavaCodeUnit unit
                ? Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                : member.getAllInvolvedRawTypes().stream();
    }

    /** Whether a type is of this project, and neither it nor a type around it is marked. */
    private static boolean isInternal(JavaClass type) {
        if (!type.getPackageName().startsWith("io.paritas")) {
            return false;
        }
        return !type.isAnnotatedWith(PublicApi.class)
                && type.getEnclosingClass().map(PublicApiTest::isInternal).orElse(true);
    }

    @Test
    void allOfItIsDocumented() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            List<Path> sources = files.filter(file -> file.toString().contains("/src/main/java/"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();
            assertThat(Undocumented.in(sources)).isEmpty();
        }
    }
}
