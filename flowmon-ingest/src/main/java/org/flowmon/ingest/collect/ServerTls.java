package org.flowmon.ingest.collect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Key and certificates of a collector's TLS, from PEM files. Immutable: changed files are read into
 * another one. TLS 1.2 and 1.3.
 */
public final class ServerTls {
  private static final int MAX_BYTES = 1 << 20;
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  // Of the key store in memory, which nobody else sees.
  private static final char[] STORE = "memory".toCharArray();

  private final SSLContext context;
  private final boolean needsClients;
  private final X509Certificate certificate;

  private ServerTls(SSLContext context, boolean needsClients, X509Certificate certificate) {
    this.context = context;
    this.needsClients = needsClients;
    this.certificate = certificate;
  }

  /**
   * Reads the files.
   *
   * @param key PKCS#8, not encrypted
   * @param certificates the key's, then those that signed it
   * @param clients authorities whose clients are let in; empty: everyone is
   * @throws IOException naming the file that cannot be used and why
   */
  public static ServerTls read(Path key, Path certificates, Optional<Path> clients)
      throws IOException {
    X509Certificate[] chain = certificates(certificates).toArray(X509Certificate[]::new);
    try {
      chain[0].checkValidity();
    } catch (CertificateException e) {
      throw new IOException(certificates + ": is not valid at this time: " + e.getMessage(), e);
    }
    PrivateKey own = key(key, chain[0].getPublicKey());
    try {
      checkPair(own, chain[0].getPublicKey());
    } catch (GeneralSecurityException e) {
      throw new IOException(
          key + ": is not the key of the first certificate in " + certificates, e);
    }
    try {
      KeyStore store = emptyStore();
      store.setKeyEntry("collector", own, STORE, chain);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, STORE);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keys.getKeyManagers(),
          clients.isPresent() ? trust(clients.get()) : new TrustManager[0],
          null);
      return new ServerTls(context, clients.isPresent(), chain[0]);
    } catch (GeneralSecurityException e) {
      throw new IOException(key + ", " + certificates + ": cannot be used: " + e.getMessage(), e);
    }
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static TrustManager[] trust(Path authorities)
      throws GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    int number = 0;
    for (Certificate one : certificates(authorities)) {
      store.setCertificateEntry("authority" + number++, one);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    return trust.getTrustManagers();
  }

  /** Bounded, also of what is no file and has no end. */
  private static byte[] bytes(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(file + ": is a folder; expected a file in PEM");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(file + ": is no regular file, which could be read again; copy it");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(file + ": has more than " + MAX_BYTES + " bytes; expected PEM");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new IOException(file + ": there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + ": this user may not read it; change its owner or mode", e);
    }
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    try {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes(file)));
      if (all.isEmpty()) {
        throw new IOException(file + ": has no certificate (-----BEGIN CERTIFICATE-----)");
      }
      return all;
    } catch (CertificateException | RuntimeException e) { // of a parser that trusts its input
      throw new IOException(file + ": is no list of certificates: " + e.getMessage(), e);
    }
  }

  /** Never tells anything of its contents. */
  private static PrivateKey key(Path file, PublicKey its) throws IOException {
    Matcher pem = KEY.matcher(new String(bytes(file), StandardCharsets.ISO_8859_1));
    if (!pem.find()) {
      throw new IOException(
          file
              + ": has no -----BEGIN PRIVATE KEY----- (PKCS#8, not encrypted); openssl pkcs8 -topk8"
              + " -nocrypt -in OLD -out NEW makes one");
    }
    try {
      byte[] der = Base64.getMimeDecoder().decode(pem.group(1));
      return KeyFactory.getInstance(its.getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException(file + ": is no key of " + its.getAlgorithm(), e);
    }
  }

  private static void checkPair(PrivateKey own, PublicKey its) throws GeneralSecurityException {
    String algorithm =
        switch (its.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> its.getAlgorithm();
        };
    byte[] text = "flowmon".getBytes(StandardCharsets.US_ASCII);
    Signature sign = Signature.getInstance(algorithm);
    sign.initSign(own);
    sign.update(text);
    byte[] signed = sign.sign();
    sign.initVerify(its);
    sign.update(text);
    if (!sign.verify(signed)) {
      throw new GeneralSecurityException("they do not belong together");
    }
  }

  /** For servers whose sockets are another's. */
  public SSLContext context() {
    return context;
  }

  /** Whose it is and how long it is valid, for people. */
  public String certificate() {
    return certificate.getSubjectX500Principal().getName()
        + ", valid until "
        + certificate.getNotAfter().toInstant();
  }

  /** Makes the handshake over an accepted connection; who closes that ends it, too. */
  Socket accept(Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, null, true);
    socket.setUseClientMode(false);
    socket.setNeedClientAuth(needsClients);
    socket.setEnabledProtocols(PROTOCOLS);
    socket.startHandshake();
    return socket;
  }
}
