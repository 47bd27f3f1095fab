/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/**
 * Hears HDFS pass over a coder of ours for the next one of its list. It says so at DEBUG, and nowhere else, whether the
 * coder could not be made or its name is unknown.
 */
final class Fallbacks extends AppenderSkeleton {
    private static final Fallbacks INSTANCE = new Fallbacks();

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private Fallbacks() {
        Logger logger = Logger.getLogger(CodecUtil.class);
        logger.setLevel(Level.DEBUG);
        logger.addAppender(this);
    }

    /** All fallbacks since the first call in this JVM. */
    static List<String> heard() {
        return List.copyOf(INSTANCE.heard);
    }

    @Override
    protected void append(LoggingEvent event) {
        String message = event.getRenderedMessage();
        if (message.startsWith("Failed to create raw erasure") && message.contains("_paritas")) {
            heard.add(message);
        }
    }

    @Override
    public boolean requiresLayout() {
        return false;
    }

    @Override
    public void close() {}
}
