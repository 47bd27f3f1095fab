/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.ModelException;
import io.paritas.inference.serving.ModelFolder;
import io.paritas.inference.spark.settings.CodedSettings;
import io.paritas.settings.Setting;
import org.apache.spark.SparkConf;

/** The settings of an application for one model of its folder. */
final class FolderSettings {
    private FolderSettings() {}

    /** The settings for the first version of a model that is served. */
    static SparkConf of(SparkConf conf, ModelFolder.Entry entry) {
        return of(conf, entry, entry.version().orElse("1"));
    }

    /** The settings for a version of a model. */
    static SparkConf of(SparkConf conf, ModelFolder.Entry entry, String version) {
        SparkConf settings = conf.clone();
        entry.settings().forEach((name, value) -> {
            String key = ServingSettings.GROUP.prefix() + name;
            settings.set(key, value);
            ServingSettings.GROUP.all().stream()
                    .filter(setting -> setting.key().equals(key))
                    .forEach(setting -> check(entry, setting, value));
        });
        settings.set(ServingSettings.NAME.key(), entry.name());
        settings.set(ServingSettings.VERSION.key(), version);
        settings.set(ServingSettings.MODEL.key(), entry.model().toString());
        if (entry.mustBeCoded()) {
            return settings.set(
                    CodedSettings.PARITY.key(), entry.model().getParent().toString());
        }
        return settings.remove(CodedSettings.PARITY.key()); // they are beside their models, if they have any
    }

    private static void check(ModelFolder.Entry entry, Setting<?> setting, String value) {
        try {
            setting.parse(value);
        } catch (IllegalArgumentException e) {
            throw new ModelException(
                    "a setting in " + ModelFolder.SETTINGS + " of the model " + entry.name() + " is wrong: "
                            + e.getMessage(),
                    e);
        }
    }
}
