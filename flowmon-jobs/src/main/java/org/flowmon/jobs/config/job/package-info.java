/**
 * What a job is told by its file: Kafka, archive, PostgreSQL, webhooks, sites, and what it does.
 */
package org.flowmon.jobs.config.job;
