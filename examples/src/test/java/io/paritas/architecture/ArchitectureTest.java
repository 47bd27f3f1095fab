/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.io.PrintWriter;
import org.junit.jupiter.api.Test;

/** Rules that hold across modules. What a module may import is said by the Enforcer, in the root POM. */
class ArchitectureTest {

    @Test
    void everyModuleIsSeen() {
        assertThat(Classes.ALL)
                .extracting(type -> type.getPackageName())
                .contains(
                        "io.paritas.erasure",
                        "io.paritas.gpu",
                        "io.paritas.spark.ec",
                        "io.paritas.inference",
                        "org.apache.hadoop.io.erasurecode.rawcoder");
    }

    @Test
    void packagesHaveNoCircles() {
        slices().matching("io.paritas.(**)").should().beFreeOfCycles().check(Classes.ALL);
    }

    /** Some locales have digits of their own, others a comma for the point. */
    @Test
    void numbersAreTheSameTextInEveryLocale() {
        noClasses()
                .that()
                .resideInAPackage("io.paritas..")
                .should()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(String.class, "formatted", Object[].class)
                .orShould()
                .callMethod(PrintStream.class, "printf", String.class, Object[].class)
                .orShould()
                .callMethod(PrintWriter.class, "printf", String.class, Object[].class)
                .because("programs and assemblers read numbers: format them with Locale.ROOT")
                .check(Classes.ALL);
    }

    @Test
    void theCoreLogsWithTheJdkAndEverythingElseWithSlf4j() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.paritas.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.apache.logging..", "org.apache.log4j..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("org.apache.spark.internal.Logging")
                .because(
                        "each side has one logger: System.Logger in the coding core and the GPU module, SLF4J elsewhere")
                .check(Classes.ALL);
        noClasses()
                .that()
                .resideInAnyPackage("io.paritas.erasure..", "io.paritas.gpu..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.slf4j..")
                .because("the coding core and the GPU module depend on no logging library")
                .check(Classes.ALL);
        noClasses()
                .that()
                .resideInAnyPackage("io.paritas.spark..", "io.paritas.inference..", "org.apache.hadoop..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName(System.Logger.class.getName())
                .because("Spark and Hadoop log with SLF4J")
                .check(Classes.ALL);
    }
}
