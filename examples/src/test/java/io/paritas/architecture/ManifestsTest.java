/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the manifests for Kubernetes say to Spark and to Paritas; {@code deploy/kubernetes/check.sh} checks the rest. */
class ManifestsTest {
    private static final Path SERVING = Path.of("..", "deploy", "kubernetes", "serving.yaml");

    private static List<String> found(String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(Files.readString(SERVING))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    @Test
    void ourSettingsExist() throws IOException {
        Set<String> keys = ConfigurationPageTest.groups().values().stream()
                .flatMap(group -> group.all().stream())
                .map(Setting::key)
                .collect(Collectors.toSet());
        assertThat(found("^    (spark\\.paritas\\.\\S+) "))
                .hasSizeGreaterThan(5)
                .allMatch(keys::contains);
    }

    /** In one object: where one of them is undone without the other, a driver has executors of another version. */
    @Test
    void driverAndExecutorsHaveOneImage() throws IOException {
        List<String> images = found("image[:=]? *(registry\\S+)$");
        assertThat(images).hasSize(2);
        assertThat(Set.copyOf(images)).hasSize(1);
        assertThat(Files.readString(SERVING).split("\n---\n"))
                .filteredOn(object -> object.contains("registry."))
                .singleElement()
                .satisfies(object -> assertThat(object).contains("kind: Deployment"));
    }

    /** They are where the manifests are applied. */
    @Test
    void executorsAreInTheNamespaceOfTheirDriver() throws IOException {
        assertThat(found("(spark\\.kubernetes\\.namespace.*)"))
                .containsExactly("spark.kubernetes.namespace=\"$POD_NAMESPACE\"");
        assertThat(found("name: POD_NAMESPACE\\s+valueFrom: \\{fieldRef: \\{fieldPath: (\\S+)}}"))
                .containsExactly("metadata.namespace");
    }

    /** It would answer without the token. */
    @Test
    void sparksPageIsOff() throws IOException {
        assertThat(found("^    spark\\.ui\\.enabled +(\\w+)$")).containsExactly("false");
    }

    @Test
    void theTokenTravelsEncryptedAlsoWhenKubeletsAsk() throws IOException {
        assertThat(found("^    spark\\.paritas\\.serving\\.(tls\\w+) ")).containsExactly("tlsCertificate", "tlsKey");
        assertThat(found("httpGet: \\{.*scheme: (\\w+)}")).containsExactly("HTTPS", "HTTPS", "HTTPS");
    }

    /** What the Pod Security Standard "restricted" asks of the front end's pods, and of the template of the executors'. */
    @Test
    void restrictedNamespacesTakeAllPods() throws IOException {
        assertThat(found("(runAsNonRoot: true\\s+seccompProfile: \\{type: RuntimeDefault})"))
                .hasSize(2);
        assertThat(found("(allowPrivilegeEscalation: false\\s+capabilities: \\{drop: \\[ALL]})"))
                .hasSize(2);
        assertThat(Files.readString(SERVING.resolveSibling("../Dockerfile").normalize()))
                .as("a user without a number could be root")
                .containsPattern("(?m)^USER \\d+\\s*\\z");
    }
}
