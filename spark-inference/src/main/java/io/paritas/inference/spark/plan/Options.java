/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.spark.settings.CallSettings;
import io.paritas.settings.Setting;
import io.paritas.spark.plugin.UnknownSettings;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** The settings of one call: its options, then those of the session, then the defaults. Immutable. */
final class Options {
    /** The text of each setting, by key. */
    private final Map<String, String> texts;

    private Options(Map<String, String> texts) {
        this.texts = texts;
    }

    /**
     * Resolves the settings of a call.
     *
     * @throws IllegalArgumentException if there is no option of a name that the call gives
     */
    static Options of(Call call) {
        return of(call.kind(), call.options(), call.session());
    }

    /**
     * Resolves settings.
     *
     * @param kind the function that is called
     * @param given options of a call, by name
     * @param session what the session has set, by key
     * @throws IllegalArgumentException if there is no such option
     */
    static Options of(Kind kind, Map<String, String> given, Map<String, String> session) {
        Map<String, String> texts = new HashMap<>();
        CallSettings.all().forEach(setting -> texts.put(setting.key(), setting.defaultText()));
        texts.putAll(session);
        Map<Setting<?>, String> named = new LinkedHashMap<>();
        given.forEach((name, value) -> CallSettings.put(named, setting(kind, name), value));
        named.forEach((setting, value) -> texts.put(setting.key(), value));
        return new Options(texts);
    }

    /** What the current session has set, other than the defaults: the text of each setting, by key. */
    static Map<String, String> ofSession() {
        Map<String, String> set = new LinkedHashMap<>();
        for (Setting<?> setting : CallSettings.all()) {
            String text = inSession(setting);
            if (!text.equals(setting.defaultText())) {
                set.put(setting.key(), text);
            }
        }
        return set;
    }

    /** The session's text of a setting. In a view, SQLConf knows only what Spark itself has; the session of the thread has all. */
    private static String inSession(Setting<?> setting) {
        SQLConf here = SQLConf.get();
        if (here.contains(setting.key())) {
            return here.getConfString(setting.key());
        }
        Option<SparkSession> session = SparkSession.getActiveSession();
        return session.isEmpty()
                ? setting.defaultText()
                : session.get().conf().get(setting.key(), setting.defaultText());
    }

    private static Setting<?> setting(Kind kind, String name) {
        return CallSettings.ofOption(name).orElseThrow(() -> CallSettings.unknown(name, kind.options()));
    }

    /** Checks all values, also those that are not used. Warns of names in the session that are no settings. */
    void checkAll() {
        UnknownSettings.warn(
                CollectionConverters.asJava(SQLConf.get().getAllConfs()).keySet(), CallSettings.groups());
        CallSettings.all().forEach(this::get);
    }

    /**
     * The value of a setting.
     *
     * @throws IllegalArgumentException if the text breaks the rule of the setting
     */
    <T> T get(Setting<T> setting) {
        return setting.get(this::text);
    }

    /** The text of a key; null if the key is not a setting of a call. */
    String text(String key) {
        return texts.get(key);
    }

    /** The exception for a value that breaks another rule. */
    IllegalArgumentException refusal(Setting<?> setting, String rule) {
        return new IllegalArgumentException(setting.refusal(rule, texts.get(setting.key())));
    }
}
