package org.flowmon.deploy.serve.http;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;

/** Headers that tell browsers what an answer may do: little. */
final class SecurityHeaders {
  private static final String POLICY = "Content-Security-Policy";

  private SecurityHeaders() {}

  /** Of every answer. */
  static void all(Response response, boolean isSecure) {
    HttpFields.Mutable headers = response.getHeaders();
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "same-origin");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    headers.put(POLICY, "default-src 'none'; frame-ancestors 'none'");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    if (isSecure) {
      headers.put("Strict-Transport-Security", "max-age=31536000");
    }
  }

  /**
   * Of a page: scripts of this server alone. {@code scripts} are the hashes of import maps, which
   * stand in pages; editors and charts make styles of their own.
   */
  static void page(Response response, String scripts) {
    response
        .getHeaders()
        .put(
            POLICY,
            "default-src 'none'; script-src 'self'"
                + scripts
                + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:;"
                + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
                + " 'none'");
  }
}
