/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of all modules, without their tests, as the bytecode has them. */
final class Classes {
    /** Imported once: it takes some seconds. */
    static final JavaClasses ALL = imported();

    private Classes() {}

    /** The rules look at who names whom, so the classes of Spark and Hadoop, which are thousands, need no more than their names. */
    private static JavaClasses imported() {
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(location -> !location.contains("test-classes") && !location.contains("-tests.jar"))
                .importPackages("io.paritas", "org.apache.hadoop.io.erasurecode.rawcoder");
    }
}
