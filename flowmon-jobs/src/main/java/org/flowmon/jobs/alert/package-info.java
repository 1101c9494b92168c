/**
 * Alert rules over reports: windows are judged in order; alerts fire, are resolved, and go to Kafka
 * and to webhooks ({@code docs/format/alerts.md}).
 */
package org.flowmon.jobs.alert;
