/** The base of a demo: options, directory, broker, database, cluster and job. */
package org.flowmon.deploy.demo.service;
