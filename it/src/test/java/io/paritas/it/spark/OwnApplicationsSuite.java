/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import org.junit.platform.suite.api.ExcludeTags;
import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** All other classes: each starts applications, or clusters, of its own. */
@Suite
@SelectPackages("io.paritas.it.spark")
@IncludeClassNamePatterns(".*IT")
@ExcludeTags(SparkClusters.SHARED)
class OwnApplicationsSuite {}
