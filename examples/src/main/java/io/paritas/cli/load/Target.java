/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.load;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model of a server.
 *
 * @param url of the model's metadata, without a slash at the end
 * @param model its name
 */
record Target(URI url, String model) {
    private static final Pattern OF_MODEL = Pattern.compile(".*/v2/models/([^/]+)(/versions/[^/]+)?");

    /**
     * Parses the URL of a server or of a model, as {@code paritas serve} prints it.
     *
     * @param model the name; null for the one in the URL, otherwise {@code model}
     * @throws IllegalArgumentException if the URL is not HTTP, or names another model
     */
    static Target of(String url, String model) {
        String text = url.replaceFirst("/+$", "");
        Matcher ofModel = OF_MODEL.matcher(text);
        if (!ofModel.matches()) {
            String name = model == null ? "model" : model;
            return new Target(http(text + "/v2/models/" + name, url), name);
        }
        if (model != null && !model.equals(ofModel.group(1))) {
            throw new IllegalArgumentException("URL names the model '" + ofModel.group(1) + "' and --model '" + model
                    + "': leave out one of them");
        }
        return new Target(http(text, url), ofModel.group(1));
    }

    private static URI http(String text, String given) {
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if (uri.getHost() != null
                    && uri.getQuery() == null
                    && uri.getFragment() == null
                    && (scheme.equals("http") || scheme.equals("https"))) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(message(given), e);
        }
        throw new IllegalArgumentException(message(given));
    }

    private static String message(String given) {
        return "URL must be that of a server, such as http://127.0.0.1:8000, or of a model, such as"
                + " http://127.0.0.1:8000/v2/models/digits, got '" + given + "'";
    }

    URI infer() {
        return URI.create(url + "/infer");
    }
}
