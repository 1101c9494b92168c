package org.flowmon.ingest.collect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates made by the JDK's keytool. */
public final class TestCertificates {
  private static final char[] PASSWORD = "password".toCharArray();

  private final Path folder;
  private final Path store;

  /** {@code folder}: where the files are. */
  public TestCertificates(Path folder) {
    this.folder = folder;
    this.store = folder.resolve("all.p12");
  }

  /** An authority. */
  public void authority(String name) throws IOException, InterruptedException {
    keytool("-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc:c");
  }

  /**
   * A key with a certificate that an authority signed; {@code days}: its validity from a day ago.
   */
  public void key(String name, String algorithm, String authority, int days)
      throws IOException, InterruptedException {
    keytool(
        "-genkeypair",
        "-alias",
        name,
        "-keyalg",
        algorithm,
        "-signer",
        authority,
        "-dname",
        "CN=" + name,
        "-ext",
        "san=ip:127.0.0.1",
        "-startdate",
        "-2d",
        "-validity",
        String.valueOf(days));
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", new String(PASSWORD)));
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IOException(command + ": " + Files.readString(log));
    }
  }

  private KeyStore load() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /** A name's key, PEM. */
  public Path keyFile(String name) throws IOException, GeneralSecurityException {
    return Files.writeString(
        folder.resolve(name + ".key"),
        pem("PRIVATE KEY", load().getKey(name, PASSWORD).getEncoded()));
  }

  /** A name's certificate and those above it, PEM. */
  public Path certificateFile(String name) throws IOException, GeneralSecurityException {
    StringBuilder text = new StringBuilder();
    for (Certificate one : load().getCertificateChain(name)) {
      text.append(pem("CERTIFICATE", one.getEncoded()));
    }
    return Files.writeString(folder.resolve(name + ".crt"), text);
  }

  private static String pem(String kind, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
  }

  /** A client that trusts an authority, and shows a key of these names, if any. */
  public SSLContext client(String trusted, String... own)
      throws IOException, GeneralSecurityException {
    KeyStore all = load();
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry(trusted, all.getCertificate(trusted));
    TrustManagerFactory trusts =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusts.init(trust);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    for (String name : Arrays.asList(own)) {
      keys.setKeyEntry(name, all.getKey(name, PASSWORD), PASSWORD, all.getCertificateChain(name));
    }
    KeyManagerFactory shown =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    shown.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown.getKeyManagers(), trusts.getTrustManagers(), null);
    return context;
  }
}
