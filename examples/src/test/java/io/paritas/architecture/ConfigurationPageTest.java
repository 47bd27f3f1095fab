/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaField;
import io.paritas.settings.Scope;
import io.paritas.settings.Setting;
import io.paritas.settings.SettingGroup;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} is the settings of the code: each {@link SettingGroup} has a table, named by its prefix. */
class ConfigurationPageTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    /** All groups, found as the static fields of the type, by their prefixes. */
    static Map<String, SettingGroup> groups() {
        return Classes.ALL.stream()
                .flatMap(type -> type.getFields().stream())
                .filter(field -> field.getRawType().isEquivalentTo(SettingGroup.class))
                .map(ConfigurationPageTest::read)
                .collect(Collectors.toMap(SettingGroup::prefix, group -> group, (a, b) -> a, TreeMap::new));
    }

    private static SettingGroup read(JavaField declared) {
        try {
            Field field = Class.forName(declared.getOwner().getName()).getDeclaredField(declared.getName());
            field.setAccessible(true);
            return (SettingGroup) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(declared + " must be a static field", e);
        }
    }

    @Test
    void thePageIsUpToDate() throws IOException {
        assertThat(groups()).containsKeys("io.paritas.kernel", "spark.paritas.ec.", "spark.paritas.coded.");
        for (SettingGroup group : groups().values()) {
            GeneratedBlock.in(PAGE, group.prefix()).isUpToDate(table(group.all()));
        }
    }

    private static String table(List<Setting<?>> settings) {
        boolean jvm = settings.get(0).scope() == Scope.JVM;
        boolean options = settings.stream().anyMatch(setting -> setting.option().isPresent());
        String head = jvm
                ? "| System property | Default | Unit | Meaning |\n|---|---|---|---|\n"
                : options
                        ? "| Spark property | Option | Default | Unit | Given | Meaning |\n|---|---|---|---|---|---|\n"
                        : "| Spark property | Default | Unit | Given | Meaning |\n|---|---|---|---|---|\n";
        return head
                + settings.stream().map(setting -> line(setting, jvm, options)).collect(Collectors.joining());
    }

    private static String line(Setting<?> setting, boolean jvm, boolean options) {
        return "| " + code(setting.key()) + " | "
                + (options ? setting.option().map(ConfigurationPageTest::code).orElse("") + " | " : "")
                + (setting.defaultText().isEmpty() ? "" : code(setting.defaultText())) + " | " + setting.unit() + " | "
                + (jvm ? "" : setting.scope() + " | ") + setting.meaning() + " |\n";
    }

    private static String code(String text) {
        return "`" + text + "`";
    }
}
