/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.IncludeTags;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** The classes that share applications with their neighbours. It takes as long as {@link OwnApplicationsSuite}, which runs beside it. */
@Suite
@SelectPackages("io.paritas.it.spark")
@IncludeClassNamePatterns(".*IT")
@IncludeTags(SparkClusters.SHARED)
class SharedApplicationsSuite {}
