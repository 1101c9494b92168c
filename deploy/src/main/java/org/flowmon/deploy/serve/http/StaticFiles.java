package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.flowmon.udaf.enrich.KnownNames;

/**
 * Files of the class path: the console at {@code /}, the page of the API at {@code /docs/}, and
 * WebJars at {@code /webjars/NAME/…}, without their versions, so that pages need not know these.
 * Browsers ask whether a file is still the same, and keep it. Of a page whose files lie below
 * {@code ./kept/} they do not even ask: in its text, and so in their addresses, this server's mark
 * follows.
 */
final class StaticFiles {
  private static final String ROOT = "org/flowmon/deploy/serve/";
  private static final String WEBJARS = "META-INF/resources/webjars/";
  private static final String KEPT = "/kept/";
  private static final Pattern SEGMENT = Pattern.compile("[A-Za-z0-9_@-][A-Za-z0-9._@-]*");
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("map", "application/json"),
          Map.entry("yaml", "application/yaml"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("png", "image/png"),
          Map.entry("ico", "image/x-icon"),
          Map.entry("woff2", "font/woff2"),
          Map.entry("txt", "text/plain; charset=utf-8"));

  /** A file, and the policy of a page for scripts. */
  private static final class File {
    final byte[] content;
    final String type;
    final String tag;
    final String scripts;

    File(byte[] content, String type, String tag, String scripts) {
      this.content = content;
      this.type = type;
      this.tag = tag;
      this.scripts = scripts;
    }
  }

  private final Map<String, File> files = new ConcurrentHashMap<>();

  /** Of this server: files do not change as long as it runs. */
  private final String mark = Long.toString(ThreadLocalRandom.current().nextLong(), 36);

  StaticFiles(Contract contract) {
    files.put("/openapi.json", file("openapi.json", contract.json()));
    files.put("/openapi.yaml", file("openapi.yaml", contract.yaml()));
    files.put("/names.json", file("names.json", names()));
  }

  /** The names of protocols and ports, by number: what the console writes beside numbers. */
  private static byte[] names() {
    try {
      return new ObjectMapper()
          .writeValueAsBytes(
              Map.of("protocols", KnownNames.protocols(), "ports", KnownNames.ports()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // of maps of texts
    }
  }

  /** Whether a request to the path is for a file; answered then. */
  boolean answer(Request request, Response response, Callback callback) {
    String path = Request.getPathInContext(request);
    boolean isGet = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    if (!isGet) {
      return false;
    }
    Optional<File> found = find(unmarked(path));
    if (found.isEmpty() && path.equals("/")) {
      Response.sendRedirect(request, response, callback, "/docs/");
      return true;
    }
    if (found.isEmpty() && isPage(request, path)) {
      found = find("/");
    }
    boolean isMarked = path.startsWith(KEPT + mark + '/');
    found.ifPresent(file -> write(file, isMarked, request, response, callback));
    return found.isPresent();
  }

  /** The address below the mark of any server: a page may stay open while its server changes. */
  private static String unmarked(String path) {
    int end = path.startsWith(KEPT) ? path.indexOf('/', KEPT.length()) : -1;
    return end < 0 ? path : path.substring(end);
  }

  /** Paths of the console's views are the console's own matter. */
  private static boolean isPage(Request request, String path) {
    String accept = request.getHeaders().get(HttpHeader.ACCEPT);
    boolean isName = path.lastIndexOf('.') > path.lastIndexOf('/');
    return !isName
        && !path.startsWith("/webjars/")
        && !path.startsWith("/docs/")
        && accept != null
        && accept.contains("text/html");
  }

  private static void write(
      File file, boolean isMarked, Request request, Response response, Callback callback) {
    boolean isPage = file.type.startsWith("text/html");
    String keep = isMarked && !isPage ? "public, max-age=31536000, immutable" : "no-cache";
    response.getHeaders().put(HttpHeader.ETAG, file.tag);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, keep);
    if (isPage) {
      SecurityHeaders.page(response, file.scripts);
    }
    if (file.tag.equals(request.getHeaders().get(HttpHeader.IF_NONE_MATCH))) {
      response.setStatus(304);
      response.write(true, BufferUtil.EMPTY_BUFFER, callback);
      return;
    }
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, file.type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, file.content.length);
    boolean isHead = request.getMethod().equals("HEAD");
    response.write(
        true, isHead ? BufferUtil.EMPTY_BUFFER : ByteBuffer.wrap(file.content), callback);
  }

  private Optional<File> find(String path) {
    File known = files.get(path);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<String> resource = resource(path);
    Optional<byte[]> content = resource.flatMap(StaticFiles::read);
    content.ifPresent(bytes -> files.put(path, file(resource.orElseThrow(), bytes)));
    return Optional.ofNullable(files.get(path));
  }

  private Optional<String> resource(String path) {
    String plain = path.endsWith("/") ? path + "index.html" : path;
    String[] segments = plain.substring(1).split("/", -1);
    for (String segment : segments) {
      if (!SEGMENT.matcher(segment).matches()) {
        return Optional.empty(); // also . and ..
      }
    }
    if (segments[0].equals("docs")) {
      return Optional.of(ROOT + plain.substring(1));
    }
    if (!segments[0].equals("webjars")) {
      return Optional.of(ROOT + "console" + plain);
    }
    if (segments.length < 3) {
      return Optional.empty();
    }
    String name = segments[1];
    String version = version(name);
    String rest = plain.substring("/webjars/".length() + name.length());
    return version.isEmpty()
        ? Optional.empty()
        : Optional.of(WEBJARS + name + "/" + version + rest);
  }

  /** The version of a WebJar on the class path; empty if it has none. */
  private static String version(String name) {
    for (String group : new String[] {"org.webjars", "org.webjars.npm"}) {
      Optional<byte[]> properties =
          read("META-INF/maven/" + group + "/" + name + "/pom.properties");
      if (properties.isPresent()) {
        Properties read = new Properties();
        try {
          read.load(new ByteArrayInputStream(properties.get()));
        } catch (IOException e) {
          throw new IllegalStateException(e); // from memory
        }
        return read.getProperty("version", "");
      }
    }
    return "";
  }

  private static Optional<byte[]> read(String resource) {
    try (InputStream in = StaticFiles.class.getClassLoader().getResourceAsStream(resource)) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      return Optional.empty(); // a folder
    }
  }

  private File file(String name, byte[] read) {
    byte[] content = name.endsWith(".html") ? marked(read) : read;
    String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "");
    String tag = '"' + HexFormat.of().formatHex(sha256(content), 0, 16) + '"';
    String scripts = "";
    if (name.endsWith(".html")) {
      Matcher map = IMPORT_MAP.matcher(new String(content, StandardCharsets.UTF_8));
      StringBuilder hashes = new StringBuilder();
      while (map.find()) {
        byte[] hash = sha256(map.group(1).getBytes(StandardCharsets.UTF_8));
        hashes.append(" 'sha256-").append(Base64.getEncoder().encodeToString(hash)).append('\'');
      }
      scripts = hashes.toString();
    }
    return new File(content, type.isEmpty() ? "application/octet-stream" : type, tag, scripts);
  }

  private byte[] marked(byte[] page) {
    return new String(page, StandardCharsets.UTF_8)
        .replace("." + KEPT, "." + KEPT + mark + "/")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
