/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.catalog;

import io.paritas.erasure.CodeName;
import io.paritas.spark.ec.ErasureCoded;
import io.paritas.spark.ec.cache.ErasureCodedDatasets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.catalog.TemporaryViewRelation;
import org.apache.spark.sql.classic.SparkSession;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** The temporary views of a session whose rows are kept erasure-coded. */
final class KeptViews {
    private final SparkSession session;
    private final SessionNames names;

    private KeptViews(SparkSession session) {
        this.session = session;
        this.names = new SessionNames(session);
    }

    static KeptViews ofActiveSession() {
        return of((SparkSession) org.apache.spark.sql.SparkSession.active());
    }

    static KeptViews of(SparkSession session) {
        return new KeptViews(session);
    }

    /** All views whose rows are still kept, by name. */
    List<KeptView> all() {
        return CollectionConverters.asJava(catalog().getTempViewNames()).stream()
                .sorted()
                .flatMap(name -> kept(name).stream())
                .filter(view -> !view.store().isClosed())
                .toList();
    }

    /**
     * Finds a view.
     *
     * @throws IllegalArgumentException if there is no such view, or its rows are not kept erasure-coded
     */
    KeptView view(String name) {
        String view = names.view(name).table();
        if (catalog().getRawTempView(view).isEmpty()) {
            throw new IllegalArgumentException("name must be a temporary view of this session, got " + name
                    + ": CALL paritas.health() lists those that are kept erasure-coded");
        }
        return kept(view)
                .orElseThrow(
                        () -> new IllegalArgumentException("name must be a view that paritas.persist has created, got "
                                + name + ": CALL paritas.health() lists them"));
    }

    private Optional<KeptView> kept(String name) {
        Option<TemporaryViewRelation> view = catalog().getRawTempView(name);
        if (view.isEmpty() || view.get().plan().isEmpty()) {
            return Optional.empty();
        }
        return ErasureCodedDatasets.store(view.get().plan().get()).map(store -> new KeptView(listed(name), store));
    }

    /** The name by which the session lists a view. The view itself may have another one: that from before it was renamed. */
    private String listed(String name) {
        return session.sessionState().conf().caseSensitiveAnalysis() ? name : name.toLowerCase(Locale.ROOT);
    }

    /**
     * Keeps rows, and creates a view of them.
     *
     * @param source a table, a view or a query
     * @param mode {@code Overwrite} to replace a view of kept rows, whose units are dropped then
     * @throws IllegalArgumentException if there is no such code, the source is none of these, or there is a view of that name which is
     *     not to be replaced
     */
    KeptView persist(String source, String code, String name, SaveMode mode) throws AnalysisException {
        replaced(name, mode); // refuses before the job, which may take hours
        String view = names.view(name).table();
        Dataset<Row> rows = ErasureCodedDatasets.persist(names.rows(source), "view " + view, CodeName.parse(code));
        Optional<KeptView> old;
        try {
            old = createView(rows, name, mode);
        } catch (AnalysisException | RuntimeException e) {
            ErasureCoded.unpersist(rows);
            throw e;
        }
        old.ifPresent(replaced -> replaced.store().close());
        return new KeptView(listed(view), ErasureCodedDatasets.store(rows).orElseThrow());
    }

    /** Creates a view of kept rows; returns the one that it replaces. That may be another one than before the rows were computed. */
    private Optional<KeptView> createView(Dataset<Row> rows, String name, SaveMode mode) throws AnalysisException {
        String quoted = names.view(name).quotedString();
        synchronized (session) {
            Optional<KeptView> old = replaced(name, mode);
            if (old.isPresent()) {
                rows.createOrReplaceTempView(quoted);
            } else {
                rows.createTempView(quoted);
            }
            return old;
        }
    }

    /** The view that a new one of that name replaces; refuses the name of one that is not to be replaced. */
    private Optional<KeptView> replaced(String name, SaveMode mode) {
        Optional<KeptView> old =
                mode == SaveMode.Overwrite ? kept(names.view(name).table()) : Optional.empty();
        if (old.isEmpty()) {
            newView(name);
        }
        return old;
    }

    /**
     * The name of a view that is to be created.
     *
     * @throws IllegalArgumentException if it is none, or the session has it
     */
    TableIdentifier newView(String name) {
        TableIdentifier identifier = names.view(name);
        String view = identifier.table();
        if (catalog().getRawTempView(view).isDefined()) {
            throw new IllegalArgumentException(
                    "name must be that of a new view, got " + name + ", which this session has: take another name, or "
                            + (kept(view).isPresent()
                                    ? "CALL paritas.unpersist(name => '" + name
                                            + "'); paritas.persist replaces it with mode => 'overwrite'"
                                    : "DROP VIEW " + name));
        }
        return identifier;
    }

    /**
     * Drops a view; its units are still there. Whoever replaces it at the same time does so before, or creates a new one after.
     *
     * @throws IllegalArgumentException if there is no such view, or its rows are not kept erasure-coded
     */
    KeptView drop(String name) {
        synchronized (session) {
            KeptView view = view(name);
            session.catalog().dropTempView(view.name());
            return view;
        }
    }

    private SessionCatalog catalog() {
        return session.sessionState().catalog();
    }
}
