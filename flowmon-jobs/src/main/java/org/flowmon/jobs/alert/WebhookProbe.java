package org.flowmon.jobs.alert;

import java.io.IOException;
import org.flowmon.jobs.config.job.WebhookConfig;

/**
 * Whether a webhook can be reached from here, asked without an alert: by a request with HEAD, with
 * the webhook's own headers. An answer says that somebody is there; whether that one would take an
 * alert only an alert tells.
 *
 * @param isReached whether there was an answer, of whatever status but a redirect, which alerts do
 *     not follow
 * @param what came, for people; neither the URL nor a header is in it
 */
public record WebhookProbe(boolean isReached, String what) {
  /**
   * Asks, within the webhook's time limit.
   *
   * @throws IOException where its file of headers cannot be read or has a line that is no header
   */
  public static WebhookProbe of(WebhookConfig webhook) throws IOException, InterruptedException {
    WebhookClient.Answer answer = new WebhookClient(webhook).probe();
    return new WebhookProbe(answer.status() > 0 && answer.status() / 100 != 3, answer.what());
  }
}
