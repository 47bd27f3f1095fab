/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.plugin;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.xml.Node;
import scala.xml.Unparsed;
import scala.xml.Utility;

/** The tab Paritas of Spark's UI: the reports of all components, as tables. Who may see the UI may see it. */
final class StatusTab extends SparkUITab {
    private static final String TITLE = "Paritas";

    private StatusTab(SparkUI ui, Supplier<List<Report>> reports) {
        super(ui, "paritas");
        attachPage(new Page(this, reports));
    }

    static void attach(SparkUI ui, Supplier<List<Report>> reports) {
        ui.attachTab(new StatusTab(ui, reports));
    }

    private static final class Page extends WebUIPage {
        private final SparkUITab tab;
        private final Supplier<List<Report>> reports;

        Page(SparkUITab tab, Supplier<List<Report>> reports) {
            super("");
            this.tab = tab;
            this.reports = reports;
        }

        @Override
        public Seq<Node> render(HttpServletRequest request) {
            String content = reports.get().stream().map(Page::html).collect(Collectors.joining());
            Seq<Node> nodes = CollectionConverters.asScala(List.<Node>of(new Unparsed(content)))
                    .toList();
            return SparkFrame.around(nodes, TITLE, request, tab);
        }

        private static String html(Report report) {
            return "<h4>" + Utility.escape(report.title()) + "</h4>"
                    + "<table class=\"table table-bordered table-sm table-striped\"><thead>"
                    + row("th", report.columns()) + "</thead><tbody>"
                    + report.rows().stream().map(texts -> row("td", texts)).collect(Collectors.joining())
                    + "</tbody></table>" + (report.rows().isEmpty() ? "<p>none</p>" : "");
        }

        private static String row(String cell, List<String> texts) {
            return texts.stream()
                    .map(text -> "<" + cell + ">" + Utility.escape(text) + "</" + cell + ">")
                    .collect(Collectors.joining("", "<tr>", "</tr>"));
        }
    }
}
