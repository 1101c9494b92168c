/** Writes answers, reports and facts to standard output: tables for people, CSV, JSON. */
package org.flowmon.deploy.output;
